import { existsSync } from 'node:fs';
import { systemClock } from '@weir/clock';
import { Interrupted, UsageError } from '../failure.ts';
import { untilInterrupted } from '../installation.ts';
import { type AllSettings, loadSettings } from '../settings.ts';
import { note, print } from '../output.ts';
import { openProgress } from '../progress.ts';
import { knowCoins } from './added-coins.ts';
import { type Answer, ask } from './ask.ts';
import { screenRows, type Tally } from './batch.ts';
import { open, refuseWithoutPay, type ScreenFlags } from './open.ts';
import { policyFor } from './policy.ts';
import type { Question } from './question.ts';
import { headLine, openResults, toLine } from './results.ts';
import { readRows } from './rows.ts';

export async function screenFile(file: string, flags: ScreenFlags): Promise<void> {
  if (flags.json) throw new UsageError(existsSync(file) ? 'the results of a file are CSV; leave --json out' : 'give a coin and a target');
  if (flags.usdValue !== undefined) throw new UsageError('the values of a file stand in its column usd_value');
  if (flags.toAddress !== undefined || flags.amount !== undefined)
    throw new UsageError('the receivers and amounts of a file stand in its columns to_address and amount');
  if (flags.resume && flags.out === undefined) throw new UsageError('--resume needs --out');
  if (!existsSync(file)) throw new UsageError(`there is no file ${file}; to screen one target give its coin and the target`);
  if (!flags.pay) refuseWithoutPay(flags);
  else if (flags.out === undefined || flags.maxUsdc === undefined) throw new UsageError('for a file --pay needs --out and --max-usdc');
  const settings = loadSettings(flags);
  try {
    const tally = await untilInterrupted((undo) => runBatch(file, flags, settings, undo));
    report(tally, flags.out);
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    throw new Interrupted(flags.out === undefined ? 'interrupted' : `interrupted; run it with --resume to continue`);
  }
}

async function runBatch(file: string, flags: ScreenFlags, settings: AllSettings, undo: (() => Promise<unknown>)[]): Promise<Tally> {
  const form = { keepFormulas: flags.keepFormulas === true };
  const policy = await policyFor(settings, flags.dataDir !== undefined);
  const asking = await asker(flags, settings, undo);
  const progress = openProgress(systemClock);
  let total = 0;
  const coins = new Set<string>();
  // A first pass, so that an invalid file fails before any lookup.
  for await (const { cells } of readRows(file)) {
    total += 1;
    coins.add(cells.coin);
  }
  await knowCoins(coins, flags, settings);
  const results = flags.out === undefined ? undefined : openResults(flags.out, { resume: flags.resume === true, ...form });
  if (results !== undefined) undo.push(async () => results.close());
  else await print(headLine);
  undo.push(async () => progress.clear());
  let seen = results === undefined ? 0 : [...results.done.values()].reduce((sum, count) => sum + count, 0);
  return screenRows({
    rows: readRows(file),
    done: results?.done ?? new Map(),
    defaults: flags,
    policy,
    atOnce: asking.atOnce,
    ask: (question) => asking.ask(question),
    found: async (row) => {
      if (results === undefined) await print(toLine(row, form));
      else results.add(row);
      seen += 1;
      progress.show(seen, total, `${row.action} ${row.coin} ${row.address || row.txid}`);
    },
    garbled: (line, said) => {
      progress.clear();
      note(`weir: line ${line}: ${said}`);
    },
  });
}

interface Asker {
  ask(question: Question): Promise<Answer>;
  readonly atOnce: number;
}

async function asker(flags: ScreenFlags, settings: AllSettings, undo: (() => Promise<unknown>)[]): Promise<Asker> {
  if (!flags.pay) {
    const askOptions = open(flags, settings, undo);
    // The creates that the limit allows within the ten seconds of a task.
    return { ask: (question) => ask(askOptions, question), atOnce: Math.min(10 * askOptions.provider.limits.perSecond, 500) };
  }
  const { openPaid } = await import('./pay/open.ts');
  const paying = await openPaid(flags, settings, undo);
  undo.push(async () => note(paying.summary()));
  // Few, so that an interruption leaves few payments unrecorded.
  return { ask: (question) => paying.ask(question), atOnce: 4 };
}

function report(tally: Tally, out: string | undefined): void {
  const parts = [`${tally.asked} asked`];
  if (tally.skipped > 0) parts.push(`${tally.skipped} done before`);
  if (tally.garbled > 0) parts.push(`${tally.garbled} could not be sent`);
  if (tally.unanswered > 0) parts.push(`${tally.unanswered} got no answer`);
  note(`${parts.join(', ')}.`);
  const again = out === undefined ? '' : '; run it with --resume to continue';
  if (tally.stopped !== null) throw new Error(`stopped: ${tally.stopped}${again}`);
  if (tally.garbled > 0 || tally.unanswered > 0) process.exitCode = 1;
}
