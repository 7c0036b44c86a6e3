import type { Policy } from '@weir/policy';
import { type Answer, without } from './ask.ts';
import { type Fault, type Question, readQuestion } from './question.ts';
import { type Findings, identityOf, type ResultRow, resultRow } from './results.ts';
import type { Row } from './rows.ts';
import { exposuresOf, levelOf, verdictOf } from './verdict.ts';

export interface BatchOptions {
  readonly rows: AsyncIterable<Row>;
  /** How often each question is already answered. */
  readonly done: Map<string, number>;
  /** For rows without these columns. */
  readonly defaults: { readonly direction?: string; readonly kind?: string };
  readonly policy: Policy;
  /** Concurrent lookups. */
  readonly atOnce: number;
  ask(question: Question): Promise<Answer>;
  /** Called with each result, in the file's order. */
  found(row: ResultRow): Promise<void>;
  /** Called for each row that cannot be looked up. */
  garbled(line: number, said: string): void;
}

export interface Tally {
  asked: number;
  skipped: number;
  garbled: number;
  unanswered: number;
  /** Why the rest was not looked up. */
  stopped: string | null;
}

/** Consecutive rows without an answer after which the API counts as unavailable. */
const enough = 5;

interface Pending {
  readonly row: Row;
  readonly question: Question | undefined;
  readonly answer: Promise<Answer>;
}

/** Looks up every row, several concurrently, and returns the results in the file's order. Stops when further lookups are hopeless. */
export async function screenRows(options: BatchOptions): Promise<Tally> {
  const tally: Tally = { asked: 0, skipped: 0, garbled: 0, unanswered: 0, stopped: null };
  const pending: Pending[] = [];
  let silent = 0;
  const settle = async (): Promise<void> => {
    const first = pending.shift();
    if (first === undefined) return;
    const answer = await first.answer;
    // Left out of the result, so that the next run looks it up.
    if (answer.hopeless) {
      tally.stopped = answer.said;
      return;
    }
    if (first.question !== undefined) tally.asked += 1;
    if (answer.outcome === 'UNAVAILABLE') tally.unanswered += 1;
    silent = answer.outcome === 'UNAVAILABLE' ? silent + 1 : 0;
    await options.found(resultRow(first.row, findingsOf(options, first, answer)));
    if (silent >= enough) tally.stopped = `${enough} rows one after the other got no answer (${answer.said})`;
  };
  for await (const row of options.rows) {
    if (isDone(options.done, row)) {
      tally.skipped += 1;
      // Its earlier result stands, and so does the exit code.
      const problem = problemOf(row, options.defaults);
      if (problem !== undefined) noteGarbled(options, tally, row, problem);
      continue;
    }
    pending.push(begin(options, row, tally));
    while (pending.length >= options.atOnce && tally.stopped === null) await settle();
    if (tally.stopped !== null) break;
  }
  while (pending.length > 0 && tally.stopped === null) await settle();
  return tally;
}

function isDone(done: Map<string, number>, row: Row): boolean {
  const identity = identityOf(row.cells);
  const left = done.get(identity) ?? 0;
  if (left > 0) done.set(identity, left - 1);
  return left > 0;
}

function begin(options: BatchOptions, row: Row, tally: Tally): Pending {
  const read = readRow(row, options.defaults);
  if (!('said' in read)) {
    const answer = options.ask(read);
    // Prevents an unhandled rejection: the answer is awaited in its turn.
    answer.catch(() => undefined);
    return { row, question: read, answer };
  }
  noteGarbled(options, tally, row, read);
  const reason = read.outcome === 'UNSUPPORTED' ? 'UNSUPPORTED_COIN' : 'INVALID_TRANSFER';
  return { row, question: undefined, answer: Promise.resolve(without(read.outcome, [reason], read.said)) };
}

function noteGarbled(options: BatchOptions, tally: Tally, row: Row, { said }: Fault): void {
  tally.garbled += 1;
  options.garbled(row.line, said);
}

function problemOf(row: Row, defaults: BatchOptions['defaults']): Fault | undefined {
  const read = readRow(row, defaults);
  return 'said' in read ? read : undefined;
}

function readRow(row: Row, defaults: BatchOptions['defaults']): Question | Fault {
  return row.fault === null ? questionOf(row, defaults) : { outcome: 'INVALID', said: row.fault };
}

function questionOf({ cells }: Row, defaults: BatchOptions['defaults']): Question | Fault {
  const { coin, address, txid, direction, kind, usd_value, to_address, amount } = cells;
  if ((address === '') === (txid === '')) {
    return { outcome: 'INVALID', said: address === '' ? 'neither address nor txid is given' : 'address and txid are both given' };
  }
  const read = readQuestion({
    coin,
    target: address || txid,
    direction: direction || defaults.direction,
    kind: kind || defaults.kind,
    usd_value,
    to_address,
    amount,
  });
  if ('said' in read) return read;
  if ((read.address === null) !== (address === ''))
    return { outcome: 'INVALID', said: address === '' ? 'the txid is an address' : 'the address is a txid' };
  return read;
}

function findingsOf({ policy, defaults }: BatchOptions, { row, question }: Pending, answer: Answer): Findings {
  const isWithdrawal = /^withdraw/i.test(row.cells.kind || row.cells.direction || defaults.kind || defaults.direction || '');
  const verdict = verdictOf(policy, question ?? { kind: isWithdrawal ? 'withdrawal' : 'deposit', usd_value: null }, answer);
  const exposures = exposuresOf(answer).map((e) => [
    e.risk_type,
    e.exposure_type,
    `${e.hop_num} hops`,
    e.percent === null ? '' : `${e.percent} %`,
    e.entity,
  ]);
  return {
    outcome: answer.outcome,
    score: answer.result === null ? '' : String(answer.result.score),
    risk_level: levelOf(answer) ?? '',
    action: verdict.action,
    reason_codes: verdict.reason_codes.join(' '),
    rule: verdict.rule,
    exposures: exposures.map((parts) => parts.filter((part) => part !== '').join(' ')).join('; '),
    address_label: answer.result?.address_label ?? '',
    scanned_at: answer.scanned_ts === null ? '' : new Date(answer.scanned_ts * 1_000).toISOString(),
    detail: answer.said,
  };
}
