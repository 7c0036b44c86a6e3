import { services } from '../chaos/deployment.ts';
import type { Step } from '../chaos/scenarios.ts';
import { seededRandom } from '../support/stack/random.ts';

const short = [200, 2_000] as const;
const minute = 60_000;

/**
 * The first process of each service is killed, the second one never: its memory and handles are a series of the whole run. All else is for
 * everybody.
 */
export const faults: Readonly<Record<string, Step>> = {
  ...Object.fromEntries(services.map((service) => [`kill-${service}`, { do: 'kill', parts: [service], which: 'first', awayMs: short }])),
  'kill-first-of-all': { do: 'kill', parts: services, which: 'first', awayMs: short },
  'replicas-change': { do: 'leave', which: 'first', awayMs: [1_000, 4_000] },
  'broker-killed': { do: 'kill', parts: ['broker'], which: 'both', awayMs: short },
  'postgres-killed': { do: 'kill', parts: ['postgres'], which: 'both', awayMs: short },
  'connections-cut': { do: 'cut connections' },
  'redis-killed': { do: 'kill', parts: ['redis'], which: 'both', awayMs: [200, 5_000] },
  'redis-flushed': { do: 'flush redis', times: 3, everyMs: [300, 1_500] },
  'redis-replaced': { do: 'replace redis', awayMs: short },
  'registry-away': { do: 'registry away', awayMs: [4_000, 8_000], killing: 'decision', which: 'first' },
  'upstream-away': { do: 'upstream', mode: 'away', forMs: [3_000, 8_000] },
  'upstream-garbage': { do: 'upstream', mode: 'garbage', forMs: [3_000, 8_000] },
  'upstream-late': { do: 'upstream', mode: 'late', forMs: [2_000, 4_000] },
  'clock-ahead': { do: 'clock', byMs: [2 * minute, 360 * minute], forMs: [3_000, 8_000] },
  'clock-back': { do: 'clock', byMs: [-360 * minute, -2 * minute], forMs: [3_000, 8_000] },
  'garbage-in-topics': { do: 'garbage', records: 12 },
};

export interface Draw {
  readonly name: string;
  readonly step: Step;
}

/** Endless, and the same for the same seed: each fault once in an order of its own, then each once more. */
export function* drawn(seed: number): Generator<Draw, never> {
  const random = seededRandom(seed);
  for (;;) {
    const round = Object.entries(faults).map(([name, step]) => ({ name, step, order: random() }));
    for (const { name, step } of round.toSorted((a, b) => a.order - b.order)) yield { name, step };
  }
}
