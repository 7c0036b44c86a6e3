import { type Finding, ok, remark } from './finding.ts';

/** Number of dead letters by topic; empty topics may be left out. */
export function deadLetters(counts: readonly { readonly name: string; readonly count: bigint }[]): Finding {
  const some = counts.filter(({ count }) => count > 0n).map(({ name, count }) => `${name.replace(/\.dlq$/, '')} ${count}`);
  if (some.length === 0) return ok('dead letters', 'none');
  return remark('dead letters', `${some.join(', ')}; "weir dlq list" shows them`);
}
