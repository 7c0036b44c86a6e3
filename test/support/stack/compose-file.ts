import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

export interface ComposeService {
  readonly image: string;
  /** Present for images of this project. */
  readonly build?: unknown;
  readonly environment?: Readonly<Record<string, string | number>>;
}

const file = join(import.meta.dirname, '..', '..', '..', 'docker-compose.yml');

export function composeService(name: string): ComposeService {
  const found = read()[name];
  if (found === undefined) throw new Error(`docker-compose.yml has no ${name}`);
  return found;
}

export function composeServices(): ComposeService[] {
  return Object.values(read());
}

function read(): Record<string, ComposeService> {
  // Variables have their defaults.
  const text = readFileSync(file, 'utf8').replaceAll(/\$\{\w+:-([^{}]*)\}/g, '$1');
  const { services } = parse(text, { merge: true }) as { services: Record<string, ComposeService> };
  return services;
}
