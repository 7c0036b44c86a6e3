/** Eight bytes, base64url. */
export function cursorOf(number: bigint): string {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(number);
  return bytes.toString('base64url');
}

/** Null for an invalid cursor. */
export function numberOf(cursor: string): bigint | null {
  const bytes = Buffer.from(cursor, 'base64url');
  if (bytes.length !== 8 || bytes.toString('base64url') !== cursor) return null;
  const number = bytes.readBigInt64BE();
  return number < 0n ? null : number;
}
