import { type Part, services, type Tier, type Which } from './deployment.ts';
import type { Mode } from './upstream.ts';

type Range = readonly [number, number];

/** One injected failure. The seed draws from the ranges; times are in milliseconds. */
export type Step =
  | { readonly do: 'go on'; readonly forMs: Range }
  /** SIGKILL to all parts at once; each returns after its time away. `either`: the seed selects one replica. */
  | { readonly do: 'kill'; readonly parts: readonly Part[]; readonly which: Which | 'either'; readonly awayMs: Range }
  | { readonly do: 'leave'; readonly which?: Which; readonly awayMs: Range }
  | { readonly do: 'flush redis'; readonly times: number; readonly everyMs: Range }
  | { readonly do: 'replace redis'; readonly awayMs: Range }
  /** Kills one replica of `killing` during the outage. It cannot start before the registry is back. */
  | { readonly do: 'registry away'; readonly awayMs: Range; readonly killing: Part; readonly which?: Which }
  | { readonly do: 'upstream'; readonly mode: Exclude<Mode, 'well'>; readonly forMs: Range }
  | { readonly do: 'clock'; readonly byMs: Range; readonly forMs: Range }
  /** Ends all sessions of the database. */
  | { readonly do: 'cut connections' }
  | { readonly do: 'garbage'; readonly records: number }
  /** Scoring restarts with the lower limit, and later with the former one. */
  | { readonly do: 'spend the day'; readonly left: Range; readonly forMs: Range };

export interface Scenario {
  readonly name: string;
  readonly steps: Readonly<Record<Tier, readonly Step[]>>;
  /** The substitute for a part that the embedded tier lacks. */
  readonly embedded?: string;
}

const short: Range = [200, 2_000];
const minute = 60_000;
const hour = 60 * minute;

const kill = (parts: readonly Part[], which: Which | 'either', awayMs: Range = short): Step => ({ do: 'kill', parts, which, awayMs });
const both = (...steps: readonly Step[]): Readonly<Record<Tier, readonly Step[]>> => ({ embedded: steps, kafka: steps });

/** Ten kills in turn, at once ended, with pauses in which the audit log grows. */
function auditKills(turns: readonly Part[]): Step[] {
  return Array.from({ length: 10 }, (_, n): Step[] => [
    { do: 'go on', forMs: [200, 1_200] },
    kill([turns[n % turns.length] as Part], 'both', [0, 0]),
  ]).flat();
}

export const scenarios: readonly Scenario[] = [
  ...services.map(
    (service): Scenario => ({
      name: `kill-${service}`,
      // First one replica, whose work the other takes over, then both.
      steps: { embedded: [kill([service], 'both')], kafka: [kill([service], 'either'), kill([service], 'both')] },
      embedded: 'the one process that holds all services',
    }),
  ),
  { name: 'all-services-killed', steps: both(kill(services, 'both')), embedded: 'the one process that holds all services' },
  {
    name: 'everything-killed',
    steps: both(kill([...services, 'postgres', 'broker', 'redis'], 'both')),
    embedded: 'Weir and its PostgreSQL',
  },
  { name: 'broker-killed', steps: both(kill(['broker'], 'both')), embedded: 'the PostgreSQL that carries the log' },
  { name: 'postgres-killed', steps: both(kill(['postgres'], 'both')) },
  { name: 'redis-killed', steps: both(kill(['redis'], 'both', [200, 5_000])), embedded: 'the PostgreSQL that holds the budget' },
  {
    name: 'redis-flushed',
    steps: both({ do: 'flush redis', times: 3, everyMs: [300, 1_500] }),
    embedded: 'the PostgreSQL that holds the budget is killed three times',
  },
  { name: 'redis-replaced', steps: both({ do: 'replace redis', awayMs: short }), embedded: 'the PostgreSQL that holds the budget' },
  {
    name: 'registry-away',
    steps: both({ do: 'registry away', awayMs: [4_000, 8_000], killing: 'decision' }),
    embedded: 'the PostgreSQL that holds the schemas',
  },
  { name: 'upstream-away', steps: both({ do: 'upstream', mode: 'away', forMs: [3_000, 8_000] }) },
  { name: 'upstream-garbage', steps: both({ do: 'upstream', mode: 'garbage', forMs: [3_000, 8_000] }) },
  { name: 'upstream-late', steps: both({ do: 'upstream', mode: 'late', forMs: [2_000, 4_000] }) },
  { name: 'replicas-change', steps: both({ do: 'leave', awayMs: [1_000, 4_000] }), embedded: 'Weir is stopped in order and started' },
  {
    name: 'clock-ahead',
    steps: both({ do: 'clock', byMs: [2 * minute, 6 * hour], forMs: [3_000, 8_000] }),
    embedded: 'the clock of the one process',
  },
  {
    name: 'clock-back',
    steps: both({ do: 'clock', byMs: [-6 * hour, -2 * minute], forMs: [3_000, 8_000] }),
    embedded: 'the clock of the one process',
  },
  {
    name: 'audit-killed',
    steps: {
      embedded: auditKills(['postgres', 'audit-writer']),
      kafka: auditKills(['audit-writer', 'postgres', 'audit-writer', 'broker']),
    },
    embedded: 'the one process that holds all services, and its PostgreSQL',
  },
  { name: 'garbage-in-topics', steps: both({ do: 'garbage', records: 12 }) },
  { name: 'day-spent', steps: both({ do: 'spend the day', left: [10, 40], forMs: [3_000, 6_000] }) },
];

export function findScenario(name: string): Scenario {
  const found = scenarios.find((scenario) => scenario.name === name);
  if (found === undefined) throw new Error(`no scenario ${name}; there are: ${scenarios.map((scenario) => scenario.name).join(', ')}`);
  return found;
}
