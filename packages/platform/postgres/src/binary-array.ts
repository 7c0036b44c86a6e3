/** Object identifiers of types (`pg_type.dat`). */
const types = { bytea: 17, json: 114, jsonb: 3802 } as const;
/** Before each document of `jsonb`. */
const jsonbVersion = 1;
const headerBytes = 20;

/** `bytea[]` as a parameter, in PostgreSQL's binary form. As text each byte would be two digits, which PostgreSQL reads one by one. */
export function byteaArray(items: readonly Buffer[]): Buffer {
  return arrayOf(types.bytea, items, { sizeOf: ({ length }) => length, write: (item, array, at) => item.copy(array, at) });
}

/**
 * JSON texts as a parameter of this type's array, in PostgreSQL's binary form. As text each would be quoted, and read once more to find its
 * end.
 */
export function jsonArray(type: 'json' | 'jsonb', documents: readonly (string | null)[]): Buffer {
  const prefix = type === 'jsonb' ? [jsonbVersion] : [];
  return arrayOf(types[type], documents, {
    sizeOf: (document) => prefix.length + Buffer.byteLength(document),
    write: (document, array, at) => {
      array.set(prefix, at);
      array.write(document, at + prefix.length);
    },
  });
}

interface Form<Item> {
  sizeOf(item: Item): number;
  write(item: Item, array: Buffer, at: number): void;
}

/** Of one dimension that begins at 1 (`array_recv` in `arrayfuncs.c`): a header, then each item behind its size, -1 for NULL. */
function arrayOf<Item>(type: number, items: readonly (Item | null)[], form: Form<Item>): Buffer {
  const sizes = items.map((item) => (item === null ? -1 : form.sizeOf(item)));
  const array = Buffer.allocUnsafe(sizes.reduce((sum, size) => sum + 4 + Math.max(size, 0), headerBytes));
  for (const [n, value] of [1, sizes.includes(-1) ? 1 : 0, type, items.length, 1].entries()) array.writeInt32BE(value, 4 * n);
  let at = headerBytes;
  for (const [n, item] of items.entries()) {
    at = array.writeInt32BE(sizes[n] ?? -1, at);
    if (item === null) continue;
    form.write(item, array, at);
    at += sizes[n] ?? 0;
  }
  return array;
}
