import type { OpenPipeline } from '@weir/service-kit';

export interface DecisionWatch {
  /** Times by `performance.now()`. Rejects after `limitMs`. */
  until(deposits: readonly string[], limitMs: number): Promise<ReadonlyMap<string, number>>;
  stop(): Promise<void>;
}

interface Wait {
  readonly open: Set<string>;
  readonly moments: Map<string, number>;
  readonly done: () => void;
}

/** One reader for the whole run; it skips earlier decisions. */
export async function watchDecisions({ log }: OpenPipeline): Promise<DecisionWatch> {
  const waits = new Set<Wait>();
  const subscription = await log.subscribe({
    group: 'bench',
    topics: ['screenings.decided'],
    maxInFlight: 2_000,
    maxBatch: 500,
    handle: async (records) => {
      const now = performance.now();
      for (const wait of waits) {
        for (const { key } of records) if (wait.open.delete(key)) wait.moments.set(key, now);
        if (wait.open.size === 0) wait.done();
      }
    },
  });
  return {
    until: (deposits, limitMs) =>
      new Promise((resolve, reject) => {
        const end = (settle: () => void): void => {
          clearTimeout(timer);
          waits.delete(wait);
          settle();
        };
        const wait: Wait = { open: new Set(deposits), moments: new Map(), done: () => end(() => resolve(wait.moments)) };
        const timer = setTimeout(
          () => end(() => reject(new Error(`${wait.open.size} of ${deposits.length} deposits had no decision in ${limitMs} ms`))),
          limitMs,
        );
        waits.add(wait);
      }),
    stop: () => subscription.stop(),
  };
}
