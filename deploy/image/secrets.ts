import { execFileSync } from 'node:child_process';
import { createHash, randomBytes, X509Certificate } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { systemClock } from '@weir/clock';
import type { KafkaUser } from '@weir/contracts';
import type { DatabaseUser } from '@weir/service-kit';
import { alertmanagerConfig } from './alertmanager.ts';
import { isCurrent, issue, makeAuthority } from './certificates.ts';

/**
 * Creates the containers' passwords and certificates at the first `docker compose up`, and Alertmanager's configuration from the variables
 * WEIR_ALERT_… at each. Each volume below /secrets is mounted into the one container that needs it, `authority` into all. The volume is
 * the boundary, so its files are world-readable.
 */
secret('postgres/superuser');
const weir = secret('postgres/weir');
const registry = secret('postgres/registry');
secret('grafana/admin-password');
put('backup/password', secret('postgres/backup'));

put('registry/application.properties', `REGISTRY_DATASOURCE_PASSWORD=${registry}`);
keep('gate/gate.env', () => lines(`WEIR_PERMIT_KEY_SECRET=${randomBytes(32).toString('base64url')}`));

// The only writer of the registry; its proxy needs only a hash.
const registryWriter = secret('setup/registry-password');
put('setup/registry.env', 'SCHEMA_REGISTRY_USERNAME=setup', `SCHEMA_REGISTRY_PASSWORD=${registryWriter}`);
keep('registry-proxy/htpasswd', () => lines(`setup:${saltedHash(registryWriter)}`));

const folders = {
  'deposit-ingest': 'ingest',
  'withdrawal-gate': 'gate',
  scoring: 'scoring',
  decision: 'decision',
  'audit-writer': 'audit',
  console: 'console',
  'chain-follower': 'follower',
} as const;
const databaseUsers: Readonly<Record<DatabaseUser, string>> = { ...folders, 'risk-api': 'risk-api' };

/** Only `secrets` has the volume of its key. */
const authorityFile = '/secrets/authority-key/authority.pem';
const authority = new X509Certificate(keep('authority-key/authority.pem', makeAuthority, 0o600));
put('authority/ca.crt', authority.toString().trim());
/** Prometheus finds replicas by address and asks each of them for a certificate of this name. */
const metricsName = 'weir-metrics';
const partNames = ['postgres', 'redis', 'kafka', 'registry', 'registry-proxy', 'prometheus', 'alertmanager'];
/** One broker has the name of its service, three share a certificate. */
const otherNames: Readonly<Record<string, readonly string[]>> = { kafka: ['kafka-2', 'kafka-3'] };
for (const name of partNames) certify(name, [name, ...(otherNames[name] ?? []), 'localhost']);
for (const [name, folder] of Object.entries(databaseUsers)) certify(folder, [name, 'localhost', metricsName]);

/** docs/security.md lists the privileges of these roles. */
const databaseUrl = (user: string, password: string): string =>
  `DATABASE_URL=postgres://${user}:${password}@postgres:5432/weir?sslmode=verify-full&sslrootcert=/secrets/authority/ca.crt`;
for (const folder of ['setup', 'operator']) put(`${folder}/database.env`, databaseUrl('weir', weir));
for (const [user, folder] of Object.entries(databaseUsers)) {
  const own = secret(`postgres/${user}`);
  put(`${folder}/database.env`, databaseUrl(`weir_${user.replaceAll('-', '_')}`, own));
}

/** docs/security.md lists them. The gate and `weir doctor` only ask whether Redis is there. */
const onKeys = (keys: string): string => `~${keys} +@all -@admin -@dangerous +info`;
const redisUsers = {
  scoring: { folder: 'scoring', may: onKeys('weir:budget:*') },
  'risk-api': { folder: 'risk-api', may: onKeys('weir:risk-runs:*') },
  'withdrawal-gate': { folder: 'gate', may: '+@connection -@admin -@dangerous +info' },
  operator: { folder: 'operator', may: '+@connection -@admin -@dangerous +info' },
};
const aclOf = (user: string, password: string, may: string): string =>
  `user ${user} on #${createHash('sha256').update(password).digest('hex')} ${may}`;
put(
  'redis/users.acl',
  'user default off',
  aclOf('health', secret('redis/password'), '+ping'),
  ...Object.entries(redisUsers).map(([user, { folder, may }]) => {
    const own = secret(`${folder}/redis-password`);
    put(`${folder}/redis.env`, `REDIS_URL=rediss://${user}:${own}@redis:6379`);
    return aclOf(user, own, may);
  }),
);
// A full Redis must refuse writes. Beyond the container's 256 MB it would be killed and reload its file each time.
put(
  'redis/redis.conf',
  'aclfile /secrets/redis/users.acl',
  'port 0',
  'tls-port 6379',
  'tls-cert-file /secrets/redis/server.pem',
  'tls-key-file /secrets/redis/server.pem',
  'tls-ca-cert-file /secrets/authority/ca.crt',
  // Clients prove who they are by password.
  'tls-auth-clients no',
  'appendonly yes',
  'maxmemory 160mb',
  'maxmemory-policy noeviction',
  'dir /data',
);

/** docs/security.md lists their ACLs; `setup` is a super user. */
const kafkaUsers: Readonly<Record<KafkaUser | 'setup', string>> = { ...folders, setup: 'setup', operator: 'operator' };
for (const [user, folder] of Object.entries(kafkaUsers)) {
  const own = secret(`${folder}/kafka-password`);
  put(`${folder}/kafka.env`, `KAFKA_SASL_USERNAME=${user}`, `KAFKA_SASL_PASSWORD=${own}`);
  put(`kafka/users/${user}`, `SCRAM-SHA-512=password=${own}`);
}
// The brokers have a user of their own. One broker has it on loopback alone.
const broker = secret('kafka/broker-password');
const asBroker = `org.apache.kafka.common.security.plain.PlainLoginModule required username="broker" password="${broker}"`;
const jaas = (listener: string, config: string): string => `listener.name.${listener}.sasl.jaas.config=${config};`;
put(
  'kafka/server.properties',
  jaas('clients.scram-sha-512', 'org.apache.kafka.common.security.scram.ScramLoginModule required'),
  jaas('controller.plain', `${asBroker} user_broker="${broker}"`),
  jaas('broker.plain', `${asBroker} user_broker="${broker}"`),
);
put(
  'kafka/client.properties',
  'security.protocol=SASL_SSL',
  'ssl.truststore.type=PEM',
  'ssl.truststore.location=/secrets/authority/ca.crt',
  'sasl.mechanism=PLAIN',
  `sasl.jaas.config=${asBroker};`,
);

/** Each client is a user of its own; `operator` is for people. Prometheus and Alertmanager ask themselves for their metrics and health. */
const webUsers = {
  prometheus: { operator: 'credentials/prometheus-password', grafana: 'grafana/prometheus-password', prometheus: 'prometheus/password' },
  alertmanager: {
    operator: 'credentials/alertmanager-password',
    prometheus: 'prometheus/alertmanager-password',
    alertmanager: 'alertmanager/password',
  },
};
for (const [part, users] of Object.entries(webUsers)) {
  const hashes = Object.entries(users).map(([user, file]) => {
    const own = secret(file);
    return `  ${user}: ${keep(`${part}/users/${user}`, () => bcrypt(own))}`;
  });
  const pem = `/secrets/${part}/server.pem`;
  put(`${part}/web.yml`, 'tls_server_config:', `  cert_file: ${pem}`, `  key_file: ${pem}`, 'basic_auth_users:', ...hashes);
  put(
    `${part}/client.yml`,
    'basic_auth:',
    `  username: ${part}`,
    `  password_file: /secrets/${part}/password`,
    'tls_config:',
    '  ca_file: /secrets/authority/ca.crt',
  );
}
put('alertmanager/alertmanager.yml', alertmanagerConfig(readFileSync('/etc/weir/alertmanager.yml', 'utf8'), process.env).trimEnd());

function secret(name: string): string {
  return keep(name, () => randomBytes(32).toString('base64url'));
}

/** Makes the server's key and certificate, and makes new ones when they are to be renewed. */
function certify(folder: string, names: readonly string[]): void {
  const file = `${folder}/server.pem`;
  const now = new Date(systemClock.now());
  const make = (): string => issue(authorityFile, authority, names, now);
  if (!isCurrent(keep(file, make), authority, names, now)) write(file, make());
}

/** nginx's format. SHA-1 suffices: nobody guesses 32 random bytes. */
function saltedHash(password: string): string {
  const salt = randomBytes(16);
  const hash = createHash('sha1').update(password).update(salt).digest();
  return `{SSHA}${Buffer.concat([hash, salt]).toString('base64')}`;
}

/** The only kind of hash that Prometheus and Alertmanager take. Node.js has none; Perl's is libcrypt's. */
function bcrypt(password: string): string {
  // 16 random bytes are 22 characters of bcrypt's alphabet.
  const salt = randomBytes(17).toString('base64url').replaceAll('-', '.').replaceAll('_', '/').slice(0, 22);
  const script = 'print crypt(<STDIN>, $ARGV[0])';
  const hash = execFileSync('perl', ['-e', script, `$2b$10$${salt}`], { input: password, encoding: 'utf8', timeout: 20_000 });
  if (hash.length !== 60) throw new Error('the crypt of this image has no bcrypt');
  return hash;
}

function lines(...all: readonly string[]): string {
  return `${all.join('\n')}\n`;
}

/** Returns the file's content, created if missing. */
function keep(name: string, make: () => string, mode?: number): string {
  const file = `/secrets/${name}`;
  if (!existsSync(file)) write(name, make(), mode);
  return readFileSync(file, 'utf8');
}

/** For content that follows from passwords and from this release. */
function put(name: string, ...content: readonly string[]): void {
  const text = lines(...content);
  if (keep(name, () => text) !== text) write(name, text);
}

/** Renaming leaves no partial file after a kill. */
function write(name: string, content: string, mode = 0o644): void {
  const file = `/secrets/${name}`;
  mkdirSync(dirname(file), { recursive: true });
  // Kafka's image copies the file with its mode, and appends to the copy.
  writeFileSync(`${file}.new`, content, { mode });
  renameSync(`${file}.new`, file);
}
