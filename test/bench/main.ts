/**
 * `npm run bench`: a table on stdout and bench/results.json. Only the ratios of figures compare across machines.
 * `npm run bench -- --only kafka` measures a part: start, audit, cost, pace, payments, embedded, kafka, score, store, history
 * (with `--screenings 10000000`: an hour and 30 GB) or import (with `--transfers 500000`). `-- --large` adds a store of 10^7 transfers, which takes half an hour and 30 GB more. `-- --budget [--minutes 10]`
 * and `-- --memory [--minutes 30] [--rate 50]` run alone.
 */
import { parseArgs } from 'node:util';
import { benchAudit } from './audit.ts';
import { benchBudget } from './budget/budget.ts';
import { benchCachedScore } from './cached-score.ts';
import { benchCost } from './cost.ts';
import { benchHistory } from './history/history.ts';
import { benchImport } from './import/import.ts';
import { benchKafka } from './kafka/kafka.ts';
import { printLine } from './line.ts';
import { benchMemory } from './memory/memory.ts';
import { benchPace } from './pace.ts';
import { benchPayments } from './payments.ts';
import { benchPipeline } from './pipeline.ts';
import { keepResults } from './results.ts';
import { benchStart } from './start.ts';
import { benchStore } from './store/store.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    large: { type: 'boolean', default: false },
    budget: { type: 'boolean', default: false },
    memory: { type: 'boolean', default: false },
    minutes: { type: 'string' },
    transfers: { type: 'string', default: '500000' },
    screenings: { type: 'string', default: '1000000' },
    rate: { type: 'string', default: '50' },
  },
});
const isWanted = (part: string): boolean => values.only === '' || values.only.split(',').includes(part);

if (values.budget) {
  keepResults(await benchBudget(Number(values.minutes ?? 10), printLine));
} else if (values.memory) {
  keepResults(await benchMemory(Number(values.minutes ?? 30), Number(values.rate), printLine));
} else {
  for (const [part, measure] of [
    ['start', benchStart],
    ['audit', benchAudit],
    ['cost', benchCost],
    ['pace', benchPace],
    ['payments', benchPayments],
  ] as const)
    if (isWanted(part)) keepResults(await measure(printLine));
  for (const [part, measure] of [
    ['embedded', benchPipeline],
    ['kafka', benchKafka],
  ] as const) {
    if (!isWanted(part)) continue;
    const { lines, raw } = await measure(printLine);
    keepResults(lines, raw);
  }
  if (isWanted('score')) keepResults(await benchCachedScore(printLine));
  if (isWanted('history')) keepResults(await benchHistory(Number(values.screenings), printLine));
  if (isWanted('import')) keepResults(await benchImport(Number(values.transfers), printLine));
  if (isWanted('store')) keepResults(await benchStore([100_000, 1_000_000, ...(values.large ? [10_000_000] : [])], printLine));
}
