import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Config {
  /** Headers of operations; `include` is a line that selects them. */
  readonly headers: readonly { readonly include: string; readonly headers: Readonly<Record<string, string>> }[];
  /** Fixed parameters by place and name, such as `query.coin`; schemathesis generates the others. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** Only the owner can read the file, which holds keys. */
export function writeConfig(folder: string, { headers, parameters }: Config): string {
  const path = join(folder, 'schemathesis.toml');
  const given = Object.entries(parameters).map(([name, value]) => `${quote(name)} = ${quote(value)}`);
  const selected = headers.flatMap(({ include, headers: own }) => {
    const pairs = Object.entries(own).map(([name, value]) => `${quote(name)} = ${quote(value)}`);
    return ['[[operations]]', include, `headers = { ${pairs.join(', ')} }`];
  });
  const lines = [...(given.length === 0 ? [] : ['[parameters]', ...given]), ...selected];
  writeFileSync(path, `${lines.join('\n')}\n`, { mode: 0o600 });
  return path;
}

function quote(text: string): string {
  return JSON.stringify(text);
}
