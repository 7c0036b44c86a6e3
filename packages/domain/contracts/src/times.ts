/** Unix milliseconds of the years 1 to 9999, the range of both PostgreSQL and RFC 3339. */
const earliest = -62_135_596_800_000;
const latest = 253_402_300_799_999;

/** True for Unix milliseconds that every stage accepts. */
export function isRecordTime(ms: number): boolean {
  return Number.isSafeInteger(ms) && ms >= earliest && ms <= latest;
}
