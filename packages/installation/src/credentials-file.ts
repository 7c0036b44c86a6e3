import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { Role } from '@weir/service-kit';

/** One token a role, and a key for each surface of the risk API. */
export interface Credentials {
  readonly tokens: Readonly<Record<Role, string>>;
  readonly standard_api_key: string;
  readonly sandbox_api_key: string;
}

/** Empty when the file does not exist. */
export function readCredentials(file: string): Partial<Credentials> {
  if (!existsSync(file)) return {};
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Partial<Credentials>;
  } catch (cause) {
    throw new Error(`${file} is not a file of credentials; move it away to have a new one made`, { cause });
  }
}

/** Leaves a file with this content alone. */
export function writeCredentials(file: string, credentials: Credentials): void {
  const content = `${JSON.stringify(credentials, null, 2)}\n`;
  if (existsSync(file) && readFileSync(file, 'utf8') === content) return;
  // Renamed into place, so that a kill leaves no partial file.
  writeFileSync(`${file}.new`, content, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
