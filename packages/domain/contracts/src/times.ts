/** What both PostgreSQL and RFC 3339 can write: the years 1 to 9999. Unix milliseconds. */
const earliest = -62_135_596_800_000;
const latest = 253_402_300_799_999;

/** Whether a number, Unix milliseconds, is a time that a record may hold: every stage takes the same ones. */
export function isRecordTime(ms: number): boolean {
  return Number.isSafeInteger(ms) && ms >= earliest && ms <= latest;
}
