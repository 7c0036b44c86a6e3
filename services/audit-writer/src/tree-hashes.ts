import { type HashSpan, hashLength, type ReadHash } from '@weir/audit-log';
import { prepared, type Queryable } from '@weir/postgres';

/** The tree's rows lack a hash, or have one of another length. */
export class TreeHashError extends Error {
  readonly code = 'AUDIT_HASH_MISSING';
  readonly retriable = false;
}

/** Bytes that are stored of each leaf. */
const widths = { salts: 16, commitments: hashLength, hashes: hashLength } as const;

/** Leaves from `first` on. */
interface LeafSpan {
  readonly first: number;
  readonly count: number;
}

/** What is stored of `count` leaves from `first` on, in order. Rejects with `TreeHashError`. */
export async function readLeaves(db: Queryable, column: keyof typeof widths, first: number, count: number): Promise<Buffer[]> {
  return (await readLeafSpans(db, column, [{ first, count }])).flat();
}

/** Of each span, what is stored of its leaves, in one statement. Rejects with `TreeHashError`. */
async function readLeafSpans(db: Queryable, column: keyof typeof widths, spans: readonly LeafSpan[]): Promise<Buffer[][]> {
  const width = widths[column];
  // A row begins at its first leaf, so the row of leaf `first` is the last that begins there or before.
  const { rows } = await db.query<{ nth: number; at: bigint; bytes: Buffer }>(
    prepared(`SELECT s.nth::int AS nth, greatest(l.first, s.first) AS at,
         substring(l.${column} FROM (greatest(l.first, s.first) - l.first)::int * ${width} + 1
           FOR least(s.first + s.count - greatest(l.first, s.first), 100000)::int * ${width}) AS bytes
       FROM unnest($1::bigint[], $2::bigint[]) WITH ORDINALITY AS s(first, count, nth)
       CROSS JOIN LATERAL (
         SELECT first, ${column} FROM audit.leaves
         WHERE first < s.first + s.count AND first >= coalesce((SELECT max(first) FROM audit.leaves WHERE first <= s.first), 0)) AS l
       ORDER BY s.nth, l.first`),
    [spans.map(({ first }) => first), spans.map(({ count }) => count)],
  );
  const found = Map.groupBy(rows, ({ nth }) => nth - 1);
  return spans.map((span, nth) => inOrder(span, found.get(nth) ?? [], width));
}

function inOrder({ first, count }: LeafSpan, rows: readonly { readonly at: bigint; readonly bytes: Buffer }[], width: number): Buffer[] {
  let next = first;
  for (const { at, bytes } of rows) {
    if (Number(at) !== next || bytes.length % width !== 0) break;
    next += bytes.length / width;
  }
  const bytes = Buffer.concat(rows.map((row) => row.bytes));
  if (next !== first + count || bytes.length !== count * width)
    throw new TreeHashError(`the tree lacks leaves between ${first} and ${first + count - 1}`);
  return Array.from({ length: count }, (_, n) => bytes.subarray(n * width, (n + 1) * width));
}

/** `count` hashes of one level. Rejects with `TreeHashError`. */
export async function readLevel(db: Queryable, { level, first, count }: HashSpan): Promise<Buffer[]> {
  if (level === 0) return readLeaves(db, 'hashes', first, count);
  return (await readNodeSpans(db, [{ level, first, count }])).flat();
}

/** Of each span above the leaves its hashes, in one statement. Rejects with `TreeHashError`. */
async function readNodeSpans(db: Queryable, spans: readonly HashSpan[]): Promise<Buffer[][]> {
  const { rows } = await db.query<{ nth: number; index: bigint; hash: Buffer }>(
    prepared(`SELECT s.nth::int AS nth, n.index, n.hash
       FROM unnest($1::smallint[], $2::bigint[], $3::bigint[]) WITH ORDINALITY AS s(level, first, count, nth)
       CROSS JOIN LATERAL (
         SELECT index, hash FROM audit.nodes WHERE level = s.level AND index >= s.first AND index < s.first + s.count) AS n
       ORDER BY s.nth, n.index`),
    [spans.map(({ level }) => level), spans.map(({ first }) => first), spans.map(({ count }) => count)],
  );
  const found = Map.groupBy(rows, ({ nth }) => nth - 1);
  return spans.map(({ level, first, count }, nth) => {
    const own = found.get(nth) ?? [];
    const isWhole = own.length === count && own.every(({ index, hash }, n) => Number(index) === first + n && hash.length === hashLength);
    if (!isWhole) throw new TreeHashError(`the tree lacks hashes of level ${level} between ${first} and ${first + count - 1}`);
    return own.map(({ hash }) => hash);
  });
}

/** Reads hashes ahead, in one statement for the leaves and one for the levels above. Rejects with `TreeHashError`. */
export async function readHashes(db: Queryable, spans: readonly HashSpan[]): Promise<ReadHash> {
  const known = new Map<string, Buffer>();
  const unlike = [...new Map(spans.map((span) => [`${span.level}/${span.first}/${span.count}`, span])).values()];
  const [leaves, nodes] = [unlike.filter(({ level }) => level === 0), unlike.filter(({ level }) => level > 0)];
  const read = [
    ...(leaves.length === 0 ? [] : await readLeafSpans(db, 'hashes', leaves)),
    ...(nodes.length === 0 ? [] : await readNodeSpans(db, nodes)),
  ];
  for (const [n, { level, first }] of [...leaves, ...nodes].entries())
    for (const [m, hash] of (read[n] ?? []).entries()) known.set(`${level}/${first + m}`, hash);
  return (level, index) => {
    const hash = known.get(`${level}/${index}`);
    if (hash === undefined) throw new TreeHashError(`the hash ${level}/${index} was not read`);
    return hash;
  };
}
