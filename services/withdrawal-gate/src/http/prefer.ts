/** What the gate makes of a request's `Prefer: wait=SECONDS` (RFC 7240). */
export interface Wait {
  readonly seconds: number;
  /** Whether the caller asked for a wait, so that `Preference-Applied` tells what came of it. */
  readonly isAsked: boolean;
}

const defaultSeconds = 10;
const mostSeconds = 60;

/**
 * The first `wait` counts; it is capped at 60 seconds, and 10 where there is none. What is not a whole number of seconds is, like every preference
 * that is not understood, as if it were not there.
 */
export function readWait(prefer: string | undefined): Wait {
  for (const preference of (prefer ?? '').split(',')) {
    const [, value = ''] = /^\s*wait\s*=\s*"?([^\s";]*)"?\s*(?:;|$)/i.exec(preference) ?? [];
    if (/^\d{1,9}$/.test(value)) return { seconds: Math.min(Number(value), mostSeconds), isAsked: true };
  }
  return { seconds: defaultSeconds, isAsked: false };
}
