import { eventId } from '@weir/contracts';
import { eventSpan, inSpan, isTracing } from '@weir/tracing';
import type { Lookup } from './lookups.ts';
import type { LookupResult } from './run-lookup.ts';

/** Several transfers may wait for one lookup: its span is in the trace of the first and links to the others. */
export function traceLookup(lookup: Lookup, run: () => Promise<LookupResult>): Promise<LookupResult> {
  if (!isTracing()) return run();
  const [first, ...others] = (lookup.screening_ids ?? []).map((id) => eventSpan(id, eventId('screenings.requested', id, 1)));
  const attributes = { 'weir.lane': lookup.lane, 'weir.tries': lookup.tries };
  return inSpan({ service: 'scoring', name: 'lookup', parent: first ?? 'none', links: others, attributes }, async (span) => {
    const result = await run();
    span?.setAttribute('weir.result', result.kind === 'done' ? result.result.outcome : result.kind);
    return result;
  });
}
