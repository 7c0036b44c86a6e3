import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { getOverTls } from './stack/prometheus.ts';
import { secretFolders } from './stack/run-in.ts';
import { type ServiceConfig, Stack } from './stack/stack.ts';

const stack = Stack.join();
const services = await stack.services();
const up = Object.entries(services)
  .filter(([name, { profiles }]) => profiles === undefined && !stack.place.absent.includes(name))
  .map(([name]) => name);

interface Inspected {
  readonly Name: string;
  readonly HostConfig: { readonly Privileged: boolean; readonly CapDrop: readonly string[]; readonly SecurityOpt: readonly string[] };
  readonly NetworkSettings: {
    readonly Ports: Readonly<Record<string, readonly { readonly HostIp: string; readonly HostPort: string }[] | null>>;
  };
}

async function inspect(service: string): Promise<Inspected[]> {
  return JSON.parse(await stack.docker(['inspect', ...(await stack.containers(service))])) as Inspected[];
}

test.each(up)('%s is published on loopback alone', async (service) => {
  for (const { NetworkSettings } of await inspect(service)) {
    const published = Object.values(NetworkSettings.Ports).flatMap((ports) => ports ?? []);
    expect(published.filter(({ HostIp }) => HostIp !== '127.0.0.1')).toEqual([]);
  }
});

test('nothing of it listens on this machine other than on loopback', async () => {
  const published = (await Promise.all(up.map(inspect)))
    .flat()
    .flatMap(({ NetworkSettings }) =>
      Object.values(NetworkSettings.Ports).flatMap((ports) => (ports ?? []).map(({ HostPort }) => Number(HostPort))),
    );
  expect(published.length).toBeGreaterThanOrEqual(5);
  expect(listeners().filter(({ port, isLoopback }) => published.includes(port) && !isLoopback)).toEqual([]);
});

test.each(up)('%s runs without root, capabilities or a way to get them', async (service) => {
  for (const { HostConfig } of await inspect(service)) {
    expect(HostConfig).toMatchObject({ Privileged: false, CapDrop: ['ALL'], SecurityOpt: ['no-new-privileges:true'] });
  }
  for (const id of await stack.containers(service)) {
    // Skip ended jobs: their image also runs elsewhere.
    if ((await stack.docker(['inspect', '--format', '{{.State.Running}}', id])) !== 'true\n') continue;
    const users = (await stack.docker(['top', id, '-o', 'pid,uid'])).trim().split('\n').slice(1);
    expect(users.length).toBeGreaterThan(0);
    expect(users.map((line) => line.trim().split(/\s+/)[1])).not.toContain('0');
  }
});

test('PostgreSQL and Redis open to nobody without their passwords', async () => {
  const psql = ['exec', '-T', 'postgres', 'psql', '--host', 'postgres', '--no-password', '--command', 'SELECT 1'];
  for (const user of ['postgres', 'weir', 'registry']) {
    for (const PGPASSWORD of ['', 'postgres', user]) {
      const attempt = stack.compose([
        'exec',
        '-T',
        '--env',
        `PGPASSWORD=${PGPASSWORD}`,
        ...psql.slice(2),
        '--username',
        user,
        '--dbname',
        'postgres',
      ]);
      await expect(attempt).rejects.toThrow(/no password supplied|password authentication failed/);
    }
  }
  const redis = ['exec', '-T', 'redis', 'redis-cli', '--tls', '--cacert', '/secrets/authority/ca.crt'];
  expect(await stack.compose([...redis, 'ping'])).toContain('NOAUTH');
});

test.each([
  ['prometheus', 'WEIR_PROMETHEUS_PORT', '/api/v1/query?query=up'],
  ['alertmanager', 'WEIR_ALERTMANAGER_PORT', '/api/v2/silences'],
] as const)('%s answers nobody without a password, and people with theirs', async (part, port, path) => {
  const [ca, password] = await Promise.all([stack.secret('authority/ca.crt'), stack.secret(`credentials/${part}-password`)]);
  const statusOf = async (auth?: string): Promise<number> =>
    (await getOverTls(stack, port, path, { ca, ...(auth === undefined ? {} : { auth }) })).status;
  expect(await statusOf()).toBe(401);
  expect(await statusOf('operator:wrong')).toBe(401);
  expect(await statusOf(`operator:${password}`)).toBe(200);
});

test('the registry has a database of its own, and sees no other', async () => {
  const as = (database: string): Promise<string> =>
    stack.compose([
      'exec',
      '-T',
      'postgres',
      'sh',
      '-c',
      `PGPASSWORD="$(cat /secrets/postgres/registry)" psql -h postgres -U registry -d ${database} -Atc 'SELECT current_user'`,
    ]);
  expect(await as('registry')).toBe('registry\n');
  await expect(as('weir')).rejects.toThrow(/permission denied for database/);
});

test('each service is in the database as a role of its own, which cannot delete from the audit log', async () => {
  const query = (user: string, password: string, sql: string): Promise<string> =>
    stack.compose([
      'exec',
      '-T',
      'postgres',
      'sh',
      '-c',
      `PGPASSWORD="$(cat /secrets/postgres/${password})" psql -h postgres -U ${user} -d weir -Atc "${sql}"`,
    ]);
  const sql = "SELECT DISTINCT application_name || ' ' || usename FROM pg_stat_activity WHERE application_name LIKE 'weir-%' ORDER BY 1";
  const found = (await query('postgres', 'superuser', sql)).trim().split('\n');
  for (const service of ['deposit-ingest', 'withdrawal-gate', 'scoring', 'decision', 'audit-writer', 'console', 'risk-api']) {
    const role = `weir_${service.replaceAll('-', '_')}`;
    // The idle risk API keeps no connection.
    if (service !== 'risk-api') expect(found).toContain(`weir-${service} ${role}`);
    expect(found.filter((line) => line.startsWith(`weir-${service} `) && !line.endsWith(` ${role}`))).toEqual([]);
    await expect(query(role, service, 'DELETE FROM audit.entries')).rejects.toThrow(/permission denied/);
  }
});

test('what keeps data has no way out, and no password stands in the configuration', async () => {
  for (const name of ['inner', 'schemas']) {
    const network = await stack.docker(['network', 'inspect', '--format', '{{.Internal}}', `${stack.place.project}_${name}`]);
    expect(network, name).toBe('true\n');
  }
  for (const name of ['redis', 'kafka']) expect(networksOf(services[name]), name).toEqual(['inner']);
  for (const name of ['postgres', 'registry-proxy']) expect(networksOf(services[name]), name).toEqual(['inner', 'schemas']);
  expect(networksOf(services['registry'])).toEqual(['schemas']);
  const named = Object.values(services).flatMap(({ environment }) => Object.entries(environment ?? {}));
  const secret = named.filter(([name, value]) => /(PASSWORD|SECRET|TOKEN|API_KEY)S?$/.test(name) && value !== null);
  expect(secret).toEqual([]);
});

test('services that check tokens of people reach the provider', () => {
  for (const name of Object.keys(secretFolders)) expect(networksOf(services[name]), name).toEqual(['inner', 'outer']);
});

function networksOf(service: (ServiceConfig & { readonly networks?: object }) | undefined): string[] {
  return Object.keys(service?.networks ?? {}).sort();
}

function listeners(): { port: number; isLoopback: boolean }[] {
  const listening = '0A';
  return ['tcp', 'tcp6'].flatMap((table) =>
    readFileSync(`/proc/net/${table}`, 'utf8')
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      .filter(([, , , state]) => state === listening)
      .map(([, local = '']) => {
        const [address = '', port = ''] = local.split(':');
        return { port: Number.parseInt(port, 16), isLoopback: address === '0100007F' || address === '00000000000000000000000001000000' };
      }),
  );
}
