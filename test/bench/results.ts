import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import type { Measured } from './decisions.ts';
import type { Line } from './line.ts';

interface Results {
  readonly cores: number;
  readonly lines: readonly KeptLine[];
  readonly raw: readonly Measured[];
}

interface KeptLine extends Line {
  /** Five-minute load average, other work included. */
  readonly load?: number;
}

const folder = join(import.meta.dirname, '..', '..', 'bench');
const file = join(folder, 'results.json');

/** Replaces lines of the same name and keeps others. */
export function keepResults(lines: readonly Line[], raw: readonly Measured[] = []): void {
  const before: Results = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Results) : { cores: 0, lines: [], raw: [] };
  const names = new Set(lines.map(({ name }) => name));
  const rawNames = new Set(raw.map(({ name }) => name));
  const load = Number((loadavg()[1] ?? 0).toFixed(2));
  const results: Results = {
    cores: cpus().length,
    lines: [...before.lines.filter(({ name }) => !names.has(name)), ...lines.map((line) => ({ ...line, load }))],
    raw: [...before.raw.filter(({ name }) => !rawNames.has(name)), ...raw],
  };
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`);
}
