import { expect, test } from 'vitest';
import { until } from './stack/requests.ts';
import { runIn, secretFolders, type Service } from './stack/run-in.ts';
import { Stack } from './stack/stack.ts';

const stack = Stack.join();
/** Of another authority with the same name, made in the container. */
const otherAuthority = '/tmp/other.crt';
const distrusting = { NODE_EXTRA_CA_CERTS: otherAuthority, KAFKA_SSL_CA_FILE: otherAuthority };

async function makeOtherAuthority(service: Service): Promise<void> {
  const make = `import { writeFileSync } from 'node:fs';
    import { X509Certificate } from 'node:crypto';
    import { makeAuthority } from './deploy/image/certificates.ts';
    writeFileSync('${otherAuthority}', new X509Certificate(makeAuthority()).toString());`;
  await runIn(stack, service, make);
}

/** Each returns `reached`, or the code and message of the error, of its causes too. */
const ask = (source: string): string => `
  const said = (error) => error === undefined ? '' : [error.code, error.message, said(error.cause)].join(' ');
  const answer = async () => { ${source} };
  console.log(await answer().then(() => 'reached', said));
  process.exit();`;
const database = (change: string): string =>
  ask(`const { default: pg } = await import('pg');
    const url = new URL(process.env.DATABASE_URL);
    ${change}
    const client = new pg.Client({ connectionString: url.href, connectionTimeoutMillis: 60_000 });
    await client.connect();
    await client.query('SELECT 1');`);
const redis = (change: string, command = 'await redis.ping();'): string =>
  ask(`const { connectRedis } = await import('@weir/redis');
    const { systemClock } = await import('@weir/clock');
    const url = new URL(process.env.REDIS_URL);
    ${change}
    const redis = await connectRedis({ url: url.href, clock: systemClock });
    ${command}`);
const kafka = ask(`const { openKafkaLog } = await import('@weir/event-log/kafka');
    const { baseSchema, kafkaTier, loadConfig } = await import('@weir/service-kit');
    const { systemClock } = await import('@weir/clock');
    const log = openKafkaLog({ connection: kafkaTier(loadConfig(baseSchema, process.env)).kafka, clock: systemClock });
    await log.publish([{ topic: 'screenings.requested', key: 'a', value: Buffer.from('not a record'), headers: {} }]);`);
const http = (url: string): string =>
  ask(`const answer = await fetch('${url}', { signal: AbortSignal.timeout(60_000) });
    if (!answer.ok) throw new Error('HTTP ' + answer.status);`);
const schemas = 'https://registry-proxy:8443/apis/ccompat/v7/subjects';

test('a service reaches each store over TLS, and none without', async () => {
  const seen = async (source: string, env?: Readonly<Record<string, string>>): Promise<string> => runIn(stack, 'scoring', source, env);
  expect(await seen(database(''))).toBe('reached');
  expect(await seen(database("url.search = ''; url.searchParams.set('sslmode', 'disable');"))).toMatch(/^28000 .*no encryption/);
  expect(await seen(redis(''))).toBe('reached');
  expect(await seen(redis("url.href = url.href.replace('rediss:', 'redis:');"))).toMatch(/^REDIS_UNAVAILABLE/);
  expect(await seen(kafka)).toBe('reached');
  expect(await seen(kafka, { KAFKA_SECURITY_PROTOCOL: 'SASL_PLAINTEXT' })).toMatch(/cannot be reached|closed/);
  expect(await seen(http(schemas))).toBe('reached');
  expect(await seen(http(schemas.replace('https:', 'http:')))).toContain('HTTP 400');
});

test("a store's certificate of another authority is refused", async () => {
  await makeOtherAuthority('scoring');
  const seen = (source: string): Promise<string> => runIn(stack, 'scoring', source, distrusting);
  const refused = /SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_VERIFY_LEAF_SIGNATURE|CERT_SIGNATURE_FAILURE/;
  expect(await seen(database(`url.searchParams.set('sslrootcert', '${otherAuthority}');`))).toMatch(refused);
  expect(await seen(redis(''))).toMatch(refused);
  expect(await seen(kafka)).toMatch(refused);
  expect(await seen(http(schemas))).toMatch(refused);
});

test("a store's certificate for another name is refused", async () => {
  const at = "url.hostname = (await (await import('node:dns/promises')).lookup(url.hostname)).address;";
  expect(await runIn(stack, 'scoring', database(at))).toContain('ERR_TLS_CERT_ALTNAME_INVALID');
  expect(await runIn(stack, 'scoring', redis(at))).toContain('ERR_TLS_CERT_ALTNAME_INVALID');
});

test.each(Object.keys(secretFolders) as Service[])('%s answers over TLS with the certificate of its name', async (service) => {
  const [from] = (Object.keys(secretFolders) as Service[]).filter((other) => other !== service);
  expect(await runIn(stack, from ?? 'console', http(`https://${service}:4443/healthz`))).toBe('reached');
  expect(await runIn(stack, from ?? 'console', http(`http://${service}:4443/healthz`))).not.toBe('reached');
});

test("PostgreSQL and Redis refuse another service's credentials", async () => {
  const asOther = database("url.username = 'weir_console';");
  expect(await runIn(stack, 'decision', asOther)).toMatch(/^28P01 password authentication failed/);
  expect(await runIn(stack, 'scoring', redis("url.username = 'risk-api';"))).toMatch(/^REDIS_UNSUITABLE/);
  const readQueue = redis('', "await redis.hgetall('weir:risk-runs:meta');");
  const readBudget = redis('', "await redis.hgetall('weir:budget:any');");
  expect(await runIn(stack, 'scoring', readQueue)).toContain('NOPERM');
  expect(await runIn(stack, 'risk-api', readQueue)).toBe('reached');
  expect(await runIn(stack, 'risk-api', readBudget)).toContain('NOPERM');
  expect(await runIn(stack, 'withdrawal-gate', readBudget)).toContain('NOPERM');
});

test.each(Object.entries(secretFolders))(
  "%s's container has no other key, and Redis's password only where it is used",
  async (service, folder) => {
    const find = 'find /secrets -type f -name "*.pem" -o -type f -name redis-password';
    const found = (await stack.compose(['exec', '-T', service, 'sh', '-c', find])).trim().split('\n').toSorted();
    const usesRedis = ['scoring', 'risk-api', 'withdrawal-gate'].includes(service);
    expect(found).toEqual([...(usesRedis ? [`/secrets/${folder}/redis-password`] : []), `/secrets/${folder}/server.pem`]);
  },
);

test('a certificate that ends soon is renewed under the same authority by the next start of the job, and served', async () => {
  const inJob = (...command: string[]): Promise<string> => stack.compose(['run', '--rm', '--no-deps', '-T', 'secrets', ...command]);
  const hashes = (): Promise<string> => inJob('sh', '-c', 'cd /secrets && sha256sum */server.pem authority*/* | sort -k 2');
  const served = async (): Promise<{ name: string; days: number }> => {
    const source = `import { connect } from 'node:tls';
      const socket = connect({ host: 'decision', port: 4443, servername: 'decision' });
      socket.once('secureConnect', () => {
        const { fingerprint256, valid_to } = socket.getPeerCertificate();
        console.log(JSON.stringify({ name: fingerprint256, days: (Date.parse(valid_to) - Date.now()) / 86_400_000 }));
        process.exit();
      });`;
    return JSON.parse(await runIn(stack, 'console', source)) as { name: string; days: number };
  };
  const before = await hashes();
  const first = await served();
  const authority = '-CA /secrets/authority-key/authority.pem -CAkey /secrets/authority-key/authority.pem';
  const names = '-subj /CN=decision -addext subjectAltName=DNS:decision,DNS:localhost,DNS:weir-metrics';
  const issue = `openssl req -x509 -config deploy/image/openssl.cnf -extensions server ${authority} ${names}`;
  const file = '/secrets/decision/server.pem';
  await inJob(
    'sh',
    '-c',
    `${issue} -newkey ec -pkeyopt ec_paramgen_curve:P-256 -noenc -days 20 -keyout - -out - > ${file}.new && mv ${file}.new ${file}`,
  );
  await inJob();
  await until(
    'the renewed certificate',
    async () => {
      const { name, days } = await served();
      return name !== first.name && days > 800 ? true : undefined;
    },
    120_000,
  );
  const changed = (await hashes()).split('\n').filter((line) => !before.includes(line));
  expect(changed.map((line) => line.split(/\s+/)[1])).toEqual(['decision/server.pem']);
});
