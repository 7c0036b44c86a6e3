import { expect, test } from 'vitest';
import { runIn, secretFolders, type Service } from './stack/run-in.ts';
import { Stack } from './stack/stack.ts';

const stack = Stack.join();
const { 'risk-api': _, ...users } = secretFolders;

/** Returns `accepted` or the error. */
function write(service: Service, topic: string, env?: Readonly<Record<string, string>>): Promise<string> {
  return runIn(
    stack,
    service,
    `import { systemClock } from '@weir/clock';
     import { openKafkaLog } from '@weir/event-log/kafka';
     import { baseSchema, kafkaTier, loadConfig } from '@weir/service-kit';
     const { kafka } = kafkaTier(loadConfig(baseSchema, process.env));
     const log = openKafkaLog({ connection: kafka, clock: systemClock });
     const record = { topic: '${topic}', key: 'a', value: Buffer.from('not a record'), headers: {} };
     console.log(await log.publish([record]).then(() => 'accepted', (error) => error.message));
     process.exit();`,
    env,
  );
}

/** Whether decision's container gets a TCP connection, else why not. */
function reach(host: string, port: number): Promise<string> {
  return runIn(
    stack,
    'decision',
    `import { connect } from 'node:net';
     const socket = connect({ host: '${host}', port: ${port}, timeout: 20_000 });
     const end = (said) => { console.log(said); process.exit(); };
     socket.once('connect', () => end('connected'));
     socket.once('timeout', () => end('away'));
     socket.once('error', (error) => end(error.code));`,
  );
}

test("a service's Kafka user writes its topics and no other service's", async () => {
  expect(await write('decision', 'reviews.resolved.dlq')).toBe('accepted');
  expect(await write('decision', 'reviews.resolved')).toMatch(/AUTHORIZATION_FAILED/);
  expect(await write('console', 'screenings.decided')).toMatch(/AUTHORIZATION_FAILED/);
  expect(await write('audit-writer', 'screenings.decided')).toMatch(/AUTHORIZATION_FAILED/);
});

test('Kafka refuses a client without credentials, a wrong password, an unknown user, and the user of another service', async () => {
  expect(await write('decision', 'reviews.resolved.dlq', { KAFKA_SECURITY_PROTOCOL: 'PLAINTEXT' })).toMatch(/cannot be reached|closed/);
  expect(await write('decision', 'reviews.resolved.dlq', { KAFKA_SASL_PASSWORD: 'wrong' })).toBe('Kafka refused the credentials');
  expect(await write('decision', 'reviews.resolved.dlq', { KAFKA_SASL_USERNAME: 'stranger' })).toBe('Kafka refused the credentials');
  expect(await write('decision', 'reviews.resolved', { KAFKA_SASL_USERNAME: 'console' })).toBe('Kafka refused the credentials');
});

test("the broker's own listeners answer nobody on the network", async () => {
  expect(await reach('kafka', 9092)).toBe('connected');
  expect(await reach('kafka', 9093)).toBe('ECONNREFUSED');
  expect(await reach('kafka', 9094)).toBe('ECONNREFUSED');
});

test.each(Object.entries(users))("%s's container has the Kafka password of no other user", async (service) => {
  const found = await stack.compose(['exec', '-T', service, 'sh', '-c', 'cat /secrets/*/kafka.env; find /secrets -name "*password*"']);
  expect(found.match(/KAFKA_SASL_USERNAME=.*/g)).toEqual([`KAFKA_SASL_USERNAME=${service}`]);
  expect(found).not.toMatch(/registry-password|broker-password/);
});

test('Kafka keeps its users and their permissions when it starts again', async () => {
  await stack.compose(['restart', 'kafka']);
  await stack.compose(['up', '--detach', '--no-build', '--no-recreate', '--no-deps', '--wait', 'kafka']);
  expect(await write('decision', 'reviews.resolved.dlq')).toBe('accepted');
  expect(await write('decision', 'reviews.resolved')).toMatch(/AUTHORIZATION_FAILED/);
  expect(await write('decision', 'reviews.resolved.dlq', { KAFKA_SASL_PASSWORD: 'wrong' })).toBe('Kafka refused the credentials');
});

const registry = 'https://registry-proxy:8443/apis/ccompat/v7';

/** The registry's status for a request from decision's container. */
function ask(method: string, path: string, body?: string): Promise<string> {
  return runIn(
    stack,
    'decision',
    `const headers = { 'content-type': 'application/vnd.schemaregistry.v1+json' };
     const body = ${JSON.stringify(body) ?? 'undefined'};
     const answer = await fetch('${registry}${path}', { method: '${method}', headers, body });
     console.log(answer.status);`,
  );
}

const subject = '/subjects/screenings.decided-value';
const schema = JSON.stringify({ schemaType: 'AVRO', schema: '{"type":"record","name":"Foreign","fields":[]}' });

test('a service reads schemas without a password', async () => {
  expect(await ask('GET', '/subjects')).toBe('200');
  expect(await ask('GET', `${subject}/versions/latest`)).toBe('200');
  // A lookup by content; the schema is unknown.
  expect(await ask('POST', subject, schema)).toBe('404');
});

test.each([
  ['POST', `${subject}/versions`, schema],
  ['POST', '/subjects/foreign-value/versions', schema],
  ['POST', '/subjects/foreign%2Dvalue%2Fversions', schema],
  ['PUT', '/config/screenings.decided-value', '{"compatibility":"NONE"}'],
  ['PUT', '/config', '{"compatibility":"NONE"}'],
  ['PUT', '/mode', '{"mode":"IMPORT"}'],
  ['DELETE', subject, undefined],
  ['DELETE', `${subject}/versions/latest`, undefined],
])('the registry refuses %s %s without a password', async (method, path, body) => {
  expect(await ask(method, path, body)).toBe('401');
  expect(await ask('GET', `${subject}/versions/1`)).toBe('200');
});

test('the registry takes a write with the password of the set-up, and with no other', async () => {
  const put = (password: string): Promise<string> =>
    stack.compose(
      ['run', '--rm', '--no-deps', '-T', 'setup', 'node', '--env-file=/secrets/setup/registry.env', '--input-type=module', '-'],
      {
        input: `
        const { SCHEMA_REGISTRY_USERNAME: user, SCHEMA_REGISTRY_PASSWORD } = process.env;
        const credentials = Buffer.from(user + ':' + ${password}).toString('base64');
        const headers = { 'content-type': 'application/vnd.schemaregistry.v1+json', authorization: 'Basic ' + credentials };
        const body = '{"compatibility":"FULL_TRANSITIVE"}';
        const answer = await fetch('${registry}/config/screenings.decided-value', { method: 'PUT', headers, body });
        console.log(answer.status);`,
      },
    );
  expect(await put('SCHEMA_REGISTRY_PASSWORD')).toBe('200\n');
  expect(await put(`'wrong'`)).toBe('401\n');
});

test('the registry itself is beyond the reach of the services', async () => {
  const [id = ''] = await stack.containers('registry');
  const networks = await stack.docker(['inspect', '--format', '{{json .NetworkSettings.Networks}}', id]);
  const found = Object.entries(JSON.parse(networks) as Record<string, { IPAddress: string }>);
  expect(found.map(([name]) => name)).toEqual([`${stack.place.project}_schemas`]);
  const address = found[0]?.[1].IPAddress ?? '';
  expect(await reach(address, 8443)).not.toBe('connected');
  // Its proxy answers the check of its container on loopback, and the network over TLS alone.
  expect(await reach('registry-proxy', 8443)).toBe('connected');
  expect(await reach('registry-proxy', 8080)).toBe('ECONNREFUSED');
});

test.each(['/apis/registry/v2/search/artifacts', '/apis/ccompat/v6/subjects', '/ui', '/'])('the proxy hides %s', async (path) => {
  const request = `console.log((await fetch('https://registry-proxy:8443${path}')).status);`;
  expect(await runIn(stack, 'decision', request)).toBe('404');
});
