import { allLabelLists, contradictedAddresses, createRiskStore, labelSources } from '@weir/chain-store';
import { type Chain, displayAddress } from '@weir/chains';
import type { Clock } from '@weir/clock';
import type { Queryable } from '@weir/postgres';
import { type LabelSourcesView, type LabelView, listOf, sourceOf } from './view.ts';

const mostSources = 500;
const mostConflicts = 200;
/** All labels are read for it. */
const keptMs = 60_000;

/** A risk service with a database of its own keeps its labels there. */
export async function hasLabels(db: Queryable): Promise<boolean> {
  const { rows } = await db.query<{ there: boolean }>(`SELECT to_regclass('chain.label_requests') IS NOT NULL AS there`);
  return rows[0]?.there === true;
}

interface Row extends Record<string, unknown> {
  readonly chain: Chain;
  readonly address: string;
  readonly name: string;
  readonly category: string;
  readonly source: string;
  readonly source_kind: string;
  readonly confidence: number;
  readonly valid_from: Date | null;
  readonly valid_to: Date | null;
}

/** By chain and address. */
export async function findLabels(
  db: Queryable,
  of: { readonly addresses?: readonly string[] | undefined; readonly source?: string | undefined },
  limit: number,
): Promise<LabelView[]> {
  const { rows } = await db.query<Row>(
    `SELECT chain, address, name, category, source, source_kind, confidence::float8, valid_from, valid_to FROM chain.labels
     WHERE ($1::text[] IS NULL OR address = ANY ($1)) AND ($2::text IS NULL OR source = $2)
     ORDER BY chain, address, category, name, source LIMIT $3`,
    [of.addresses ?? null, of.source ?? null, limit],
  );
  return rows.map((row) => ({
    ...row,
    address: displayAddress(row.chain, row.address),
    valid_from: row.valid_from?.toISOString() ?? null,
    valid_to: row.valid_to?.toISOString() ?? null,
  }));
}

/** Sources, published lists and contradictions. Callers within a minute share one reading. */
export class LabelOverview {
  readonly #db: Queryable;
  readonly #clock: Clock;
  #reading: { readonly from: number; readonly view: Promise<LabelSourcesView> } | undefined;

  constructor(db: Queryable, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  read(): Promise<LabelSourcesView> {
    const now = this.#clock.monotonic();
    if (this.#reading === undefined || now - this.#reading.from >= keptMs) {
      const reading = { from: now, view: this.#read() };
      this.#reading = reading;
      // The next caller tries again.
      reading.view.catch(() => {
        if (this.#reading === reading) this.#reading = undefined;
      });
    }
    return this.#reading.view;
  }

  async #read(): Promise<LabelSourcesView> {
    const now = this.#clock.now();
    const db = this.#db;
    const [sources, lists, conflicts] = await Promise.all([
      labelSources(db, mostSources),
      allLabelLists(db),
      contradictedAddresses(db, createRiskStore(db), now),
    ]);
    return {
      sources: sources.map(sourceOf),
      lists: lists.map(listOf),
      conflicts: conflicts.slice(0, mostConflicts).map(({ chain, address, contradiction: { standing, service, accusation } }) => ({
        chain,
        address: displayAddress(chain as Chain, address),
        standing,
        service: claimOf(service),
        accusation: claimOf(accusation),
      })),
      read_at: new Date(now).toISOString(),
    };
  }
}

function claimOf({ categories, sources }: { readonly categories: readonly string[]; readonly sources: readonly string[] }) {
  return { categories: [...categories], sources: [...sources] };
}
