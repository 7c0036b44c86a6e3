import type { Clock } from '@weir/clock';
import { admission, type Callers, type Operation, operation, type Readiness, readers } from '@weir/service-kit';
import { z } from 'zod';
import { type Part, readHealth } from './parts.ts';
import { exampleHealth, partView, type PartView } from './view.ts';

/** All callers see the same health for this time, so that many pages ask the services no more than one. */
const freshMs = 5_000;

export interface HealthApiOptions {
  readonly readiness: Readiness;
  readonly parts: readonly Part[];
  readonly access: Callers;
  readonly clock: Clock;
}

/** `GET /v1/system-health`. */
export function systemHealthOperations({ readiness, parts, access, clock }: HealthApiOptions): readonly Operation[] {
  let latest: { readonly at: number; readonly items: Promise<PartView[]> } | undefined;
  const read = (): Promise<PartView[]> => {
    const now = clock.monotonic();
    if (latest === undefined || now - latest.at >= freshMs) latest = { at: now, items: readHealth(readiness, parts) };
    return latest.items;
  };
  const get = operation({
    name: 'get_system_health',
    method: 'GET',
    path: '/v1/system-health',
    tag: 'health',
    isPolled: true,
    summary: 'Tells whether each service is ready, and what it cannot reach.',
    description: 'As this process sees them, at most 5 seconds ago. Of several replicas of a service it is one.',
    admission: admission(access, readers),
    answers: [
      {
        status: 200,
        description: 'This process first, then those whose addresses are set.',
        schema: z.strictObject({ items: z.array(partView) }),
        example: { items: exampleHealth },
      },
    ],
    respond: async (c) => {
      c.header('cache-control', 'no-store');
      return c.json({ items: await read() });
    },
  });
  return [get];
}
