/** `npm run bench`: a table on stdout and bench/results.json. Only the ratios of figures compare across machines. */
import { parseArgs } from 'node:util';
import { benchAudit } from './audit.ts';
import { benchBudget } from './budget/budget.ts';
import { benchCachedScore } from './cached-score.ts';
import { benchCost } from './cost.ts';
import { benchFollow } from './follow/follow.ts';
import { benchHistory } from './history/history.ts';
import { benchImport } from './import/import.ts';
import { benchKafka } from './kafka/kafka.ts';
import { isWithin, type Line, printLine } from './line.ts';
import { benchMemory } from './memory/memory.ts';
import { benchPace } from './pace.ts';
import { benchPages } from './pages.ts';
import { benchPayments } from './payments.ts';
import { benchPipeline } from './pipeline.ts';
import { keepResults } from './results.ts';
import { benchProcessCurve } from './process-curve.ts';
import { benchStart } from './start.ts';
import { benchStore } from './store/store.ts';

const usage = `Usage: npm run bench -- [options]
Prints a table and writes bench/results.json. Exits with 1 if a figure misses its bound.

  --only PARTS      of start, audit, cost, pace, payments, processes, embedded, kafka, score, history, pages, import, follow, store; with commas
  --screenings N    of history and pages (default 1000000; 10000000 take a quarter of an hour and 30 GB)
  --transfers N     of import and follow (default 500000)
  --large           with a store of 10^7 transfers: half an hour and 30 GB more
  --budget          alone: the budget of a risk API, for --minutes N (default 10)
  --memory          alone: the memory of a process, for --minutes N (default 30) at --rate N deposits a second (default 50)
  --help
`;

/** Wrong options: one line, and exit code 2. */
function readOptions<Values>(read: () => { readonly values: Values }): Values {
  try {
    return read().values;
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\nRun 'npm run bench -- --help' for usage.\n`);
    process.exit(2);
  }
}

const values = readOptions(() =>
  parseArgs({
    options: {
      help: { type: 'boolean', default: false },
      only: { type: 'string', default: '' },
      large: { type: 'boolean', default: false },
      budget: { type: 'boolean', default: false },
      memory: { type: 'boolean', default: false },
      minutes: { type: 'string' },
      transfers: { type: 'string', default: '500000' },
      screenings: { type: 'string', default: '1000000' },
      rate: { type: 'string', default: '50' },
    },
  }),
);
if (values.help) {
  process.stdout.write(usage);
  process.exit(0);
}
const isWanted = (part: string): boolean => values.only === '' || values.only.split(',').includes(part);

/** A figure beyond its bound fails the command, once all were measured. */
function print(line: Line): void {
  printLine(line);
  if (!isWithin(line)) process.exitCode = 1;
}

if (values.budget) {
  keepResults(await benchBudget(Number(values.minutes ?? 10), print));
} else if (values.memory) {
  keepResults(await benchMemory(Number(values.minutes ?? 30), Number(values.rate), print));
} else {
  for (const [part, measure] of [
    ['start', benchStart],
    ['audit', benchAudit],
    ['cost', benchCost],
    ['pace', benchPace],
    ['payments', benchPayments],
    ['processes', benchProcessCurve],
  ] as const)
    if (isWanted(part)) keepResults(await measure(print));
  for (const [part, measure] of [
    ['embedded', benchPipeline],
    ['kafka', benchKafka],
  ] as const) {
    if (!isWanted(part)) continue;
    const { lines, raw } = await measure(print);
    keepResults(lines, raw);
  }
  if (isWanted('score')) keepResults(await benchCachedScore(print));
  if (isWanted('history')) keepResults(await benchHistory(Number(values.screenings), print));
  if (isWanted('pages')) keepResults(await benchPages(Number(values.screenings), print));
  if (isWanted('import')) keepResults(await benchImport(Number(values.transfers), print));
  if (isWanted('follow')) keepResults(await benchFollow(Number(values.transfers), print));
  if (isWanted('store')) keepResults(await benchStore([100_000, 1_000_000, ...(values.large ? [10_000_000] : [])], print));
}
