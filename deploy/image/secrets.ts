import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { KafkaUser } from '@weir/contracts';
import type { DatabaseUser } from '@weir/service-kit';

/**
 * Makes, at the first `docker compose up`, the passwords that the containers know one another by. Each volume below /secrets is mounted into
 * the one container that needs it, whatever user that runs as, so the volume is the boundary and the files in it can be read by all.
 * What is there stays as it is.
 */
secret('postgres/superuser');
const weir = secret('postgres/weir');
const registry = secret('postgres/registry');
const redis = secret('redis/password');
secret('grafana/admin-password');

// Full, it refuses what is written and says so; beyond its container's 256 MB it would be killed, and read its file anew each time.
keep('redis/redis.conf', () =>
  lines(`requirepass ${redis}`, 'appendonly yes', 'maxmemory 160mb', 'maxmemory-policy noeviction', 'dir /data'),
);
keep('registry/application.properties', () => lines(`REGISTRY_DATASOURCE_PASSWORD=${registry}`));
// What the keys that sign permits are encrypted with.
keep('gate/gate.env', () => lines(`WEIR_PERMIT_KEY_SECRET=${randomBytes(32).toString('base64url')}`));
keep('weir/redis.env', () => lines(`REDIS_URL=redis://:${redis}@redis:6379`));
// A release before gave the owner's address to every service.
rmSync('/secrets/weir/weir.env', { force: true });

// The one who may write to the registry; the proxy before it needs only a hash.
const registryWriter = secret('setup/registry-password');
keep('setup/registry.env', () => lines('SCHEMA_REGISTRY_USERNAME=setup', `SCHEMA_REGISTRY_PASSWORD=${registryWriter}`));
keep('registry-proxy/htpasswd', () => lines(`setup:${saltedHash(registryWriter)}`));

const folders = {
  'deposit-ingest': 'ingest',
  'withdrawal-gate': 'gate',
  scoring: 'scoring',
  decision: 'decision',
  'audit-writer': 'audit',
  console: 'console',
} as const;

/** PostgreSQL knows the owner and a role for each service; docs/security.md lists what they may do. */
const databaseUrl = (user: string, password: string): string => lines(`DATABASE_URL=postgres://${user}:${password}@postgres:5432/weir`);
for (const folder of ['setup', 'operator']) keep(`${folder}/database.env`, () => databaseUrl('weir', weir));
const databaseUsers: Readonly<Record<DatabaseUser, string>> = { ...folders, 'risk-api': 'risk-api' };
for (const [user, folder] of Object.entries(databaseUsers)) {
  const own = secret(`postgres/${user}`);
  keep(`${folder}/database.env`, () => databaseUrl(`weir_${user.replaceAll('-', '_')}`, own));
}

/** Users of Kafka, with the folder of each. `setup` may do everything; docs/security.md lists the permissions of the others. */
const kafkaUsers: Readonly<Record<KafkaUser | 'setup', string>> = { ...folders, setup: 'setup', operator: 'operator' };
for (const [user, folder] of Object.entries(kafkaUsers)) {
  const own = secret(`${folder}/kafka-password`);
  keep(`${folder}/kafka.env`, () => lines(`KAFKA_SASL_USERNAME=${user}`, `KAFKA_SASL_PASSWORD=${own}`));
  keep(`kafka/users/${user}`, () => lines(`SCRAM-SHA-512=password=${own}`));
}
// The broker is a user of its own, on loopback alone.
const broker = secret('kafka/broker-password');
const asBroker = `org.apache.kafka.common.security.plain.PlainLoginModule required username="broker" password="${broker}"`;
const jaas = (listener: string, config: string): string => `listener.name.${listener}.sasl.jaas.config=${config};`;
keep('kafka/server.properties', () =>
  lines(
    jaas('clients.scram-sha-512', 'org.apache.kafka.common.security.scram.ScramLoginModule required'),
    jaas('controller.plain', `${asBroker} user_broker="${broker}"`),
    jaas('broker.plain', `${asBroker} user_broker="${broker}"`),
  ),
);
keep('kafka/client.properties', () => lines('security.protocol=SASL_PLAINTEXT', 'sasl.mechanism=PLAIN', `sasl.jaas.config=${asBroker};`));

function secret(name: string): string {
  return keep(name, () => randomBytes(32).toString('base64url'));
}

/** As nginx reads it. SHA-1 is enough: nobody guesses 32 random bytes. */
function saltedHash(password: string): string {
  const salt = randomBytes(16);
  const hash = createHash('sha1').update(password).update(salt).digest();
  return `{SSHA}${Buffer.concat([hash, salt]).toString('base64')}`;
}

function lines(...all: readonly string[]): string {
  return `${all.join('\n')}\n`;
}

/** The file's content, made now if there is none. Written aside and renamed: a kill in between leaves no half a file. */
function keep(name: string, make: () => string): string {
  const file = `/secrets/${name}`;
  if (!existsSync(file)) {
    mkdirSync(dirname(file), { recursive: true });
    // Kafka's image copies its file with the mode, and appends to the copy.
    writeFileSync(`${file}.new`, make(), { mode: 0o644 });
    renameSync(`${file}.new`, file);
  }
  return readFileSync(file, 'utf8');
}
