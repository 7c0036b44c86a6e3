/** The years 1 to 9999 in Unix milliseconds, the range of PostgreSQL and RFC 3339. */
const earliest = -62_135_596_800_000;
const latest = 253_402_300_799_999;

/** Every stage accepts the same Unix milliseconds. */
export function isRecordTime(ms: number): boolean {
  return Number.isSafeInteger(ms) && ms >= earliest && ms <= latest;
}
