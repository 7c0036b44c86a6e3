import { systemClock } from '@weir/clock';
import type { Action, Kind } from '@weir/contracts';
import { type Backtest, backtest, type CellName, type Compared, countDecisions, countWithoutEvidence } from '@weir/decision';
import { UsageError } from '../failure.ts';
import type { PlaceFlags } from '../flags.ts';
import { note, plain, print, printJson, table } from '../output.ts';
import { openProgress } from '../progress.ts';
import { itemOf, noteOlder, placeOf } from './item.ts';
import { parseNamed, textOf, withDecisions } from './resolve.ts';

const actions: readonly Action[] = ['allow', 'review', 'block'];

interface BacktestFlags extends PlaceFlags {
  readonly policy: string;
  readonly since: Date;
  readonly until?: Date;
  readonly kind?: Kind;
  readonly list?: string;
  readonly limit: number;
  readonly cursor?: string;
  readonly json?: true;
}

export async function runBacktest(flags: BacktestFlags): Promise<void> {
  const cell = flags.list === undefined ? undefined : parseCell(flags.list);
  await withDecisions(flags, async ({ pool }) => {
    const policy = parseNamed(flags.policy, await textOf(flags.policy, pool));
    const selection = { since: flags.since, until: flags.until, kind: flags.kind };
    const total = await countDecisions(pool, selection);
    const progress = openProgress(systemClock);
    const listed = new CellList(cell, flags.limit, flags.cursor);
    const result = await backtest(pool, systemClock, policy, selection, {
      compared: (compared, name) => listed.add(compared, name),
      page: (count) => progress.show(count, total, 'results'),
    });
    progress.clear();
    noteOlder(await countWithoutEvidence(pool, selection));
    const cells = Object.fromEntries(
      actions.map((from) => [from, Object.fromEntries(actions.map((to) => [to, countOf(result, from, to)]))]),
    );
    if (flags.json) {
      const { count, recounted, readSeconds, seconds } = result;
      const rates = { per_second: rate(count, seconds), rows_read_per_second: rate(count, readSeconds) };
      const list = cell === undefined ? {} : { cell, items: listed.items.map(itemOf), next_cursor: listed.nextCursor() };
      return printJson({
        policy_hash: policy.hash,
        results: count,
        matrix: cells,
        history_recounted: recounted,
        seconds,
        ...rates,
        ...list,
      });
    }
    await print(matrixText(result));
    if (cell !== undefined) await printList(listed);
    return tell(result);
  });
}

function parseCell(text: string): CellName {
  const [from, to, ...more] = text.split(':');
  const known = (name: string | undefined): name is Action => actions.some((action) => action === name);
  if (!known(from) || !known(to) || more.length > 0) throw new UsageError('--list needs OLD:NEW, such as review:allow');
  return `${from}:${to}`;
}

function countOf({ cells }: Backtest, from: Action, to: Action): number {
  return cells.get(`${from}:${to}`) ?? 0;
}

function matrixText(result: Backtest): string {
  const rows = actions.map((from) => [from, ...actions.map((to) => String(countOf(result, from, to)).padStart(10))]);
  return table(['WAS \\ WOULD BE', ...actions.map((to) => to.padStart(10))], rows);
}

function tell({ count, seconds, readSeconds, recounted }: Backtest): void {
  note(
    `${count} results in ${seconds.toFixed(1)} s, ${rate(count, seconds)} a second; reading the rows alone took ${readSeconds.toFixed(1)} s, ${rate(count, readSeconds)} a second.`,
  );
  if (recounted > 0) note(`The history of ${recounted} was counted now, for nobody looked at these windows when they were decided.`);
}

function rate(count: number, seconds: number): number {
  return seconds > 0 ? Math.round(count / seconds) : 0;
}

async function printList(listed: CellList): Promise<void> {
  const rows = listed.items.map(({ stored, verdict }) => [
    new Date(stored.decided_at).toISOString(),
    stored.transfer.kind,
    plain(stored.transfer.source_id),
    `${stored.screening_id}/${stored.revision}`,
    stored.rule ?? '',
    verdict.rule,
  ]);
  await print(`\n${table(['DECIDED', 'KIND', 'TRANSFER', 'SCREENING', 'WAS BY', 'WOULD BE BY'], rows)}`);
  const next = listed.nextCursor();
  if (next !== null) note(`There are more: --cursor ${next}`);
}

/** A page of the transfers behind one cell. */
class CellList {
  readonly items: Compared[] = [];
  readonly #cell: CellName | undefined;
  readonly #limit: number;
  /** The last item of the previous page, until the iteration has passed it. */
  #after: string | undefined;
  #hasMore = false;

  constructor(cell: CellName | undefined, limit: number, after: string | undefined) {
    this.#cell = cell;
    this.#limit = limit;
    this.#after = after;
  }

  add(compared: Compared, cell: CellName): void {
    if (cell !== this.#cell) return;
    if (this.#after !== undefined) {
      if (placeOf(compared.stored) === this.#after) this.#after = undefined;
    } else if (this.items.length < this.#limit) this.items.push(compared);
    else this.#hasMore = true;
  }

  nextCursor(): string | null {
    const last = this.items.at(-1);
    return this.#hasMore && last !== undefined ? placeOf(last.stored) : null;
  }
}
