import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

interface Config {
  readonly keys: { readonly standard: string; readonly sandbox: string };
  /** Fixed parameters; schemathesis generates the others. */
  readonly subject: Readonly<Record<string, string>> | undefined;
}

/** Only the owner can read the file, which holds keys. */
export function writeConfig(folder: string, { keys, subject }: Config): string {
  const path = join(folder, 'schemathesis.toml');
  const given = Object.entries(subject ?? {}).flatMap(([name, value]) => [
    `"query.${name}" = ${JSON.stringify(value)}`,
    `"body.${name}" = ${JSON.stringify(value)}`,
  ]);
  const surface = (tag: string, key: string): string[] => [
    '[[operations]]',
    `include-tag = "${tag}"`,
    `headers = { "X-API-Key" = ${JSON.stringify(key)} }`,
  ];
  const parameters = given.length === 0 ? [] : ['[parameters]', ...given];
  const text = [...parameters, ...surface('standard', keys.standard), ...surface('sandbox', keys.sandbox)].join('\n');
  writeFileSync(path, `${text}\n`, { mode: 0o600 });
  return path;
}
