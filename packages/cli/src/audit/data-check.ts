import type { Codec } from '@weir/contracts';
import { decodeRecord } from '@weir/service-kit';
import type { EntryLine } from './lines.ts';

/** Names what `data` of a line says and its bytes do not. The leaf commits to the bytes, and people read the data. */
export async function dataProblem(
  { topic, data = null, erased_by = null }: EntryLine,
  value: Buffer,
  codec: Codec,
): Promise<string | undefined> {
  if (data === null) return undefined;
  if (erased_by !== null) return 'is erased, and has data';
  const decoded = await decodeRecord(topic, value, codec);
  if (decoded === null) return 'has data that its value cannot be compared with: the file lacks its schema, or nobody can decode it';
  // As an export writes it.
  return says(data, JSON.parse(JSON.stringify(decoded))) ? undefined : 'has data that its value does not have';
}

/** A file of an earlier version may lack fields, which then are empty. */
function says(data: unknown, decoded: unknown): boolean {
  if (!isObject(data) || !isObject(decoded)) return data === decoded;
  if (Array.isArray(data) !== Array.isArray(decoded) || Object.keys(data).some((name) => !Object.hasOwn(decoded, name))) return false;
  return Object.entries(decoded).every(([name, value]) => (Object.hasOwn(data, name) ? says(data[name], value) : isEmpty(value)));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function isEmpty(value: unknown): boolean {
  return value === null || value === '' || value === false || value === 0 || (Array.isArray(value) && value.length === 0);
}
