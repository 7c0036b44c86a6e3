import type { HistoryWindow as HistoryValue, Kind } from '@weir/contracts';
import { z } from 'zod';

const units = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
/** Rows are counted, so a window needs a limit. */
const longestMs = 366 * units.d;
const span = 'must be a time of 1m to 366d, such as 24h or 7d';

export const windowSchema = z.strictObject({
  of: z.enum(['user', 'user_counterparty'], 'must be user or user_counterparty'),
  kind: z.enum(['deposit', 'withdrawal'], 'must be deposit or withdrawal').optional(),
  window: z.string(span).refine((text) => {
    const ms = spanMs(text);
    return ms !== undefined && ms > 0 && ms <= longestMs;
  }, span),
});

function spanMs(text: string): number | undefined {
  const [, count, unit] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  return count === undefined ? undefined : Number(count) * units[unit as keyof typeof units];
}

/** Transfers of the same user, or of the same user with the same counterparty. */
export interface HistoryWindow {
  readonly of: 'user' | 'user_counterparty';
  /** Null: both. */
  readonly kind: Kind | null;
  readonly window_ms: number;
}

export function toWindow(written: z.infer<typeof windowSchema>): HistoryWindow {
  return { of: written.of, kind: written.kind ?? null, window_ms: spanMs(written.window) ?? 0 };
}

/** Windows with equal counts share it, whatever their names. */
export function windowKey({ of, kind, window_ms }: Pick<HistoryValue, 'of' | 'kind' | 'window_ms'>): string {
  return `${of}/${kind ?? 'all'}/${window_ms}`;
}
