import type { Queryable } from '@weir/postgres';

/** Reads the key once, and again after a failure. */
export function drawKeyOf(db: Queryable): () => Promise<Uint8Array> {
  let reading: Promise<Uint8Array> | undefined;
  return () =>
    (reading ??= read(db).catch((error: unknown) => {
      reading = undefined;
      throw error;
    }));
}

async function read(db: Queryable): Promise<Uint8Array> {
  const { rows } = await db.query<{ key: Buffer }>('SELECT key FROM chain.draw_key');
  const [row] = rows;
  if (row === undefined) throw new Error('chain.draw_key is empty; a migration fills it');
  return row.key;
}
