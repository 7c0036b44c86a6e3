import type { ScreeningRequested } from '@weir/contracts';
import { jsonArray, type Queryable, prepared } from '@weir/postgres';
import type { RawTransfer } from './raw-transfer.ts';
import { type CheckedTransfer, checkTransfer, contentSha256, firstRequest, isMalformed } from './transfer.ts';

/** `new`: not seen before; `known`: a repeat; `conflict`: a known id with other content; `erased`: a known id without content. */
export type Standing = 'new' | 'known' | 'conflict' | 'erased';

interface First {
  readonly given: RawTransfer;
  readonly request: ScreeningRequested;
}

export interface Claimed extends First {
  readonly standing: Standing;
}

/**
 * Stores each transfer once; the first content counts, also within one call. Results are in the order of `transfers`. `tokens`: the posting
 * tokens by index; absent for topics.
 */
export async function claim(
  tx: Queryable,
  transfers: readonly CheckedTransfer[],
  deadlineMs: number,
  tokens: readonly (string | null)[] = [],
): Promise<Claimed[]> {
  const firsts = new Map<string, First>();
  for (const [nth, checked] of transfers.entries()) {
    if (!firsts.has(checked.screeningId)) {
      firsts.set(checked.screeningId, { given: checked.given, request: firstRequest(checked, deadlineMs, tokens[nth] ?? null) });
    }
  }
  const known = await take(tx, firsts);
  for (const row of known) firsts.set(row.screening_id, row);
  const isNew = new Set(firsts.keys());
  for (const row of known) isNew.delete(row.screening_id);
  return transfers.map((checked) => {
    const first = firsts.get(checked.screeningId);
    if (first === undefined) throw new TypeError('a transfer that is there was not found');
    if (isErased(first)) return { ...first, standing: 'erased' };
    if (!isSame(first.given, checked)) return { ...first, standing: 'conflict' };
    return { ...first, standing: isNew.delete(checked.screeningId) ? 'new' : 'known' };
  });
}

interface Known extends First {
  readonly screening_id: string;
}

async function take(tx: Queryable, firsts: ReadonlyMap<string, First>): Promise<readonly Known[]> {
  const all = [...firsts.values()];
  const { rows } = await tx.query<{ screening_id: string; given: RawTransfer | null; request: ScreeningRequested | null }>(
    prepared(`WITH offered AS (SELECT * FROM unnest($1::uuid[], $2::jsonb[], $3::jsonb[]) AS u(id, given, request)),
       added AS (INSERT INTO intake.transfers (screening_id, given, request) SELECT * FROM offered ORDER BY id ON CONFLICT DO NOTHING RETURNING screening_id)
     SELECT offered.id AS screening_id, t.given, t.request FROM offered LEFT JOIN intake.transfers t ON t.screening_id = offered.id AND t.kind = offered.request ->> 'kind'
     WHERE offered.id NOT IN (SELECT screening_id FROM added)`),
    [
      [...firsts.keys()],
      jsonArray(
        'jsonb',
        all.map(({ given }) => JSON.stringify(given)),
      ),
      jsonArray(
        'jsonb',
        all.map(({ request }) => JSON.stringify(request)),
      ),
    ],
  );
  const unseen = rows.filter(({ given }) => given === null).map((row) => row.screening_id);
  // Another transaction stored them after this statement's snapshot.
  return [
    ...rows.flatMap(({ screening_id, given, request }) => (given && request ? [{ screening_id, given, request }] : [])),
    ...(await load(tx, unseen)),
  ];
}

async function load(tx: Queryable, ids: readonly string[]): Promise<readonly Known[]> {
  if (ids.length === 0) return [];
  const { rows } = await tx.query<Known & Record<string, unknown>>(
    prepared('SELECT screening_id, given, request FROM intake.transfers WHERE screening_id = ANY($1::uuid[])'),
    [ids],
  );
  return rows;
}

/** As `eraseTransfers` leaves it. */
function isErased({ given }: First): boolean {
  return 'erased' in given;
}

export async function isTaken(db: Queryable, screeningId: string): Promise<boolean> {
  return (await load(db, [screeningId])).length > 0;
}

/** The first request for a screening. Rejects if the transfer was never stored. */
export async function findRequest(tx: Queryable, screeningId: string): Promise<ScreeningRequested> {
  const [first] = await load(tx, [screeningId]);
  if (first === undefined || isErased(first)) throw new TypeError('a transfer that is there was not found');
  return first.request;
}

const words = [
  'kind',
  'source_id',
  'chain',
  'coin',
  'txid',
  'from_address',
  'to_address',
  'amount',
  'usd_value',
  'user_id',
  'memo',
] as const;

/** Equal text is equal content. Otherwise both are read with today's coins: a coin added since must not turn a repeat into a conflict. */
function isSame(first: RawTransfer, again: CheckedTransfer): boolean {
  if (words.every((word) => first[word] === again.given[word])) return true;
  const checked = checkTransfer(first);
  return !isMalformed(checked) && contentSha256(checked) === contentSha256(again);
}
