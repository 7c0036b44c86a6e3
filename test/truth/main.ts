import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { reportOf, type Truth, weightTable } from './report.ts';
import { measureFamilies, type MeasuredWorld, measureWorld } from './run.ts';
import { tracingTable } from './tracing-example.ts';
import { generatedWorlds, hackWorlds } from './worlds.ts';

const usage = `Usage: npm run truth -- [--data FOLDER] [--check]
  --data FOLDER  measure the hacks again, from a folder with transfers/mftracer_LIFI, mftracer_TxPhish and ronin_lazarus_dune.csv
  --check        write nothing; exit 1 when truth.json or docs/method.md differ from the generated cases of now`;

const truthFile = join(import.meta.dirname, 'truth.json');
const methodFile = join(import.meta.dirname, '..', '..', 'docs', 'method.md');
const parts = ['tuned', 'heldOut'] as const;

/** `npm run truth`: measures the scores and writes the table of docs/method.md. */
async function main(): Promise<number> {
  const { values } = parseArgs({ options: { data: { type: 'string' }, check: { type: 'boolean' } } });
  const [families, generated] = [await inParts(measureFamilies), await measureAll(generatedWorlds)];
  const digest = createHash('sha256')
    .update(JSON.stringify([families, generated]))
    .digest('hex');
  const { data } = values;
  const before = JSON.parse(readFileSync(truthFile, 'utf8')) as Truth;
  const truth: Truth = { families, generated, ...(data === undefined ? hacksOf(before) : await measureHacks(data, digest)) };
  const report = reportOf(truth, truth.hacks_measured_with === digest);
  const blocks = [['truth', report] as const, ['weights', weightTable()] as const, ['tracing', await tracingTable()] as const];
  return write(values.check === true, [
    [truthFile, `${JSON.stringify(truth, undefined, 2)}\n`],
    [methodFile, blocks.reduce((text, [name, content]) => withBlock(text, name, content), readFileSync(methodFile, 'utf8'))],
  ]);
}

function hacksOf({ hacks, hacks_measured_with }: Truth): Pick<Truth, 'hacks' | 'hacks_measured_with'> {
  return { hacks, hacks_measured_with };
}

async function measureHacks(folder: string, digest: string): Promise<Pick<Truth, 'hacks' | 'hacks_measured_with'>> {
  return { hacks: await measureAll((part) => hackWorlds(part, folder)), hacks_measured_with: digest };
}

function measureAll(worldsOf: typeof generatedWorlds): Promise<MeasuredWorld[]> {
  return inParts(async (part) => {
    const measured: MeasuredWorld[] = [];
    for (const world of worldsOf(part)) measured.push(await measureWorld(world, part));
    return measured;
  });
}

async function inParts<Item>(measurePart: (part: (typeof parts)[number]) => Promise<Item[]>): Promise<Item[]> {
  const all: Item[] = [];
  for (const part of parts) all.push(...(await measurePart(part)));
  return all;
}

function withBlock(text: string, name: string, content: string): string {
  const [begin, end] = [`<!-- ${name}: begin -->`, `<!-- ${name}: end -->`];
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`docs/method.md has no place for its table: ${begin} and ${end}`);
  return `${text.slice(0, from)}${begin}\n\n${content}\n\n${text.slice(to)}`;
}

function write(isCheck: boolean, files: readonly (readonly [path: string, wanted: string])[]): number {
  const changed = files.filter(([path, wanted]) => readFileSync(path, 'utf8') !== wanted);
  if (!isCheck) for (const [path, wanted] of changed) writeFileSync(path, wanted);
  if (isCheck && changed.length > 0) {
    process.stderr.write(`${changed.map(([path]) => path).join(', ')}: other scores than the engine gives: run npm run truth\n`);
    return 1;
  }
  return 0;
}

main().then(
  (code) => (process.exitCode = code),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    if (String((error as { code?: unknown }).code).startsWith('ERR_PARSE_ARGS')) process.stderr.write(`${usage}\n`);
    process.exitCode = 1;
  },
);
