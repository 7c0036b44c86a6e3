/**
 * `npm run bench`: a table on stdout and bench/results.json. Figures of one run stand beside each other; only their ratios travel.
 * `npm run bench -- --large` also asks a chain of 10^7 transfers, which takes seven minutes and 10 GB more.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { benchCachedScore } from './cached-score.ts';
import { printLine } from './line.ts';
import { benchPipeline } from './pipeline.ts';
import { benchStore } from './store/store.ts';

const { values } = parseArgs({ options: { large: { type: 'boolean', default: false } } });

const { lines, raw } = await benchPipeline(printLine);
const cached = await benchCachedScore(printLine);
const store = await benchStore([100_000, 1_000_000, ...(values.large ? [10_000_000] : [])], 10_000_000, printLine);

const folder = join(import.meta.dirname, '..', '..', 'bench');
mkdirSync(folder, { recursive: true });
writeFileSync(
  join(folder, 'results.json'),
  `${JSON.stringify({ cores: cpus().length, lines: [...lines, ...cached, ...store], raw }, null, 2)}\n`,
);
