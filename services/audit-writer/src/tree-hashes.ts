import { type HashSpan, hashLength, type ReadHash } from '@weir/audit-log';
import { prepared, type Queryable } from '@weir/postgres';

/** The tree's rows lack a hash, or have one of another length. */
export class TreeHashError extends Error {
  readonly code = 'AUDIT_HASH_MISSING';
  readonly retriable = false;
}

/** Bytes that are stored of each leaf. */
const widths = { salts: 16, commitments: hashLength, hashes: hashLength } as const;

/** What is stored of `count` leaves from `first` on, in order. Rejects with `TreeHashError`. */
export async function readLeaves(db: Queryable, column: keyof typeof widths, first: number, count: number): Promise<Buffer[]> {
  const width = widths[column];
  // A row begins at its first leaf, so the row of leaf `first` is the last that begins there or before.
  const { rows } = await db.query<{ at: bigint; bytes: Buffer }>(
    prepared(`SELECT greatest(first, $1) AS at,
         substring(${column} FROM (greatest(first, $1) - first)::int * ${width} + 1 FOR least($1 + $2 - greatest(first, $1), 100000)::int * ${width}) AS bytes
       FROM audit.leaves WHERE first < $1::bigint + $2::bigint AND first >= coalesce((SELECT max(first) FROM audit.leaves WHERE first <= $1), 0) ORDER BY first`),
    [first, count],
  );
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
  const { rows } = await db.query<{ index: bigint; hash: Buffer }>(
    prepared('SELECT index, hash FROM audit.nodes WHERE level = $1 AND index >= $2 AND index < $2::bigint + $3 ORDER BY index'),
    [level, first, count],
  );
  const isWhole = rows.length === count && rows.every(({ index, hash }, n) => Number(index) === first + n && hash.length === hashLength);
  if (!isWhole) throw new TreeHashError(`the tree lacks hashes of level ${level} between ${first} and ${first + count - 1}`);
  return rows.map(({ hash }) => hash);
}

/** Reads hashes ahead, for proofs that then need no database. Rejects with `TreeHashError`. */
export async function readHashes(db: Queryable, spans: readonly HashSpan[]): Promise<ReadHash> {
  const known = new Map<string, Buffer>();
  for (const span of spans)
    for (const [n, hash] of (await readLevel(db, span)).entries()) known.set(`${span.level}/${span.first + n}`, hash);
  return (level, index) => {
    const hash = known.get(`${level}/${index}`);
    if (hash === undefined) throw new TreeHashError(`the hash ${level}/${index} was not read`);
    return hash;
  };
}
