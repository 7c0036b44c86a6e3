/** The gate's reading of `Prefer: wait=SECONDS` (RFC 7240). */
export interface Wait {
  readonly seconds: number;
  /** True when the caller sent a wait; the answer then has `Preference-Applied`. */
  readonly isAsked: boolean;
}

const defaultSeconds = 10;
const mostSeconds = 60;

/** The first valid `wait` counts, capped at 60 seconds; default 10. Invalid and unknown preferences are ignored. */
export function readWait(prefer: string | undefined): Wait {
  for (const preference of (prefer ?? '').split(',')) {
    const [, value = ''] = /^\s*wait\s*=\s*"?([^\s";]*)"?\s*(?:;|$)/i.exec(preference) ?? [];
    if (/^\d+$/.test(value)) return { seconds: Math.min(Number(value), mostSeconds), isAsked: true };
  }
  return { seconds: defaultSeconds, isAsked: false };
}
