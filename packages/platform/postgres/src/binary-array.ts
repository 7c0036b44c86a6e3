/** Object identifiers of types (`pg_type.dat`). */
const types = { bytea: 17, json: 114, jsonb: 3802 } as const;
/** Before each document of `jsonb`. */
const jsonbVersion = 1;
const headerBytes = 20;

/** `bytea[]` as a parameter, in PostgreSQL's binary form. As text each byte would be two digits, which PostgreSQL reads one by one. */
export function byteaArray(items: readonly Buffer[]): Buffer {
  const array = open(types.bytea, { length: items.length, hasNull: false, bytes: items.reduce((sum, { length }) => sum + 4 + length, 0) });
  let at = headerBytes;
  for (const item of items) {
    at = array.writeInt32BE(item.length, at);
    at += item.copy(array, at);
  }
  return array;
}

/**
 * JSON texts as a parameter of this type's array, in PostgreSQL's binary form. As text each would be quoted, and read once more to find its
 * end.
 */
export function jsonArray(type: 'json' | 'jsonb', documents: readonly (string | null)[]): Buffer {
  const prefix = type === 'jsonb' ? [jsonbVersion] : [];
  const sizeOf = (document: string | null): number => (document === null ? 0 : prefix.length + Buffer.byteLength(document));
  const bytes = documents.reduce((sum, document) => sum + 4 + sizeOf(document), 0);
  const array = open(types[type], { length: documents.length, hasNull: documents.includes(null), bytes });
  let at = headerBytes;
  for (const document of documents) {
    if (document === null) {
      at = array.writeInt32BE(-1, at);
      continue;
    }
    array.set(prefix, at + 4);
    const size = prefix.length + array.write(document, at + 4 + prefix.length);
    at = array.writeInt32BE(size, at) + size;
  }
  return array;
}

/** The header of an array of one dimension that begins at 1 (`array_recv` in `arrayfuncs.c`). */
function open(type: number, { length, hasNull, bytes }: { length: number; hasNull: boolean; bytes: number }): Buffer {
  const array = Buffer.allocUnsafe(headerBytes + bytes);
  for (const [n, value] of [1, hasNull ? 1 : 0, type, length, 1].entries()) array.writeInt32BE(value, 4 * n);
  return array;
}
