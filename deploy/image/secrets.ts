import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { KafkaUser } from '@weir/contracts';
import type { DatabaseUser } from '@weir/service-kit';

/**
 * Creates the containers' passwords at the first `docker compose up`. Each volume below /secrets is mounted into the one container that
 * needs it. The volume is the boundary, so its files are world-readable.
 */
secret('postgres/superuser');
const weir = secret('postgres/weir');
const registry = secret('postgres/registry');
const redis = secret('redis/password');
secret('grafana/admin-password');

// A full Redis must refuse writes. Beyond the container's 256 MB it would be killed and reload its file each time.
keep('redis/redis.conf', () =>
  lines(`requirepass ${redis}`, 'appendonly yes', 'maxmemory 160mb', 'maxmemory-policy noeviction', 'dir /data'),
);
keep('registry/application.properties', () => lines(`REGISTRY_DATASOURCE_PASSWORD=${registry}`));
keep('gate/gate.env', () => lines(`WEIR_PERMIT_KEY_SECRET=${randomBytes(32).toString('base64url')}`));
keep('weir/redis.env', () => lines(`REDIS_URL=redis://:${redis}@redis:6379`));
// An earlier release gave the owner's address to every service.
rmSync('/secrets/weir/weir.env', { force: true });

// The only writer of the registry; its proxy needs only a hash.
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
  'chain-follower': 'follower',
} as const;

/** docs/security.md lists the privileges of these roles. */
const databaseUrl = (user: string, password: string): string => lines(`DATABASE_URL=postgres://${user}:${password}@postgres:5432/weir`);
for (const folder of ['setup', 'operator']) keep(`${folder}/database.env`, () => databaseUrl('weir', weir));
const databaseUsers: Readonly<Record<DatabaseUser, string>> = { ...folders, 'risk-api': 'risk-api' };
for (const [user, folder] of Object.entries(databaseUsers)) {
  const own = secret(`postgres/${user}`);
  keep(`${folder}/database.env`, () => databaseUrl(`weir_${user.replaceAll('-', '_')}`, own));
}

/** docs/security.md lists their ACLs; `setup` is a super user. */
const kafkaUsers: Readonly<Record<KafkaUser | 'setup', string>> = { ...folders, setup: 'setup', operator: 'operator' };
for (const [user, folder] of Object.entries(kafkaUsers)) {
  const own = secret(`${folder}/kafka-password`);
  keep(`${folder}/kafka.env`, () => lines(`KAFKA_SASL_USERNAME=${user}`, `KAFKA_SASL_PASSWORD=${own}`));
  keep(`kafka/users/${user}`, () => lines(`SCRAM-SHA-512=password=${own}`));
}
// The broker has its own user, on loopback alone.
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

/** nginx's format. SHA-1 suffices: nobody guesses 32 random bytes. */
function saltedHash(password: string): string {
  const salt = randomBytes(16);
  const hash = createHash('sha1').update(password).update(salt).digest();
  return `{SSHA}${Buffer.concat([hash, salt]).toString('base64')}`;
}

function lines(...all: readonly string[]): string {
  return `${all.join('\n')}\n`;
}

/** Returns the file's content, created if missing. Renaming leaves no partial file after a kill. */
function keep(name: string, make: () => string): string {
  const file = `/secrets/${name}`;
  if (!existsSync(file)) {
    mkdirSync(dirname(file), { recursive: true });
    // Kafka's image copies the file with its mode, and appends to the copy.
    writeFileSync(`${file}.new`, make(), { mode: 0o644 });
    renameSync(`${file}.new`, file);
  }
  return readFileSync(file, 'utf8');
}
