import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

/**
 * Makes, at the first `docker compose up`, the passwords that the containers know one another by. Each volume below /secrets is mounted into
 * the one container that needs it, whatever user that runs as, so the volume is the boundary and the files in it can be read by all.
 * What is there stays as it is.
 */
const password = (name: string): string => keep(`postgres/${name}`, () => randomBytes(32).toString('base64url'));
password('superuser');
const weir = password('weir');
const registry = password('registry');
const redis = keep('redis/password', () => randomBytes(32).toString('base64url'));
keep('grafana/admin-password', () => randomBytes(32).toString('base64url'));

// Full, it refuses what is written and says so; beyond its container's 256 MB it would be killed, and read its file anew each time.
keep('redis/redis.conf', () =>
  lines(`requirepass ${redis}`, 'appendonly yes', 'maxmemory 160mb', 'maxmemory-policy noeviction', 'dir /data'),
);
keep('registry/application.properties', () => lines(`REGISTRY_DATASOURCE_PASSWORD=${registry}`));
// What the keys that sign permits are encrypted with.
keep('gate/gate.env', () => lines(`WEIR_PERMIT_KEY_SECRET=${randomBytes(32).toString('base64url')}`));
keep('weir/weir.env', () => lines(`DATABASE_URL=postgres://weir:${weir}@postgres:5432/weir`, `REDIS_URL=redis://:${redis}@redis:6379`));

function lines(...all: readonly string[]): string {
  return `${all.join('\n')}\n`;
}

/** The file's content, made now if there is none. Written aside and renamed: a kill in between leaves no half a file. */
function keep(name: string, make: () => string): string {
  const file = `/secrets/${name}`;
  if (!existsSync(file)) {
    writeFileSync(`${file}.new`, make(), { mode: 0o444 });
    renameSync(`${file}.new`, file);
  }
  return readFileSync(file, 'utf8');
}
