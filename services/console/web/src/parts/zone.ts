import type { Zone } from '../words/format.ts';
import { createPreference, usePreference } from './preference.ts';

const preference = createPreference<Zone>('weir.zone', 'local', 'utc');

/** The zone of all times, which changes with `switchZone`. */
export function useZone(): Zone {
  return usePreference(preference);
}

export const switchZone = preference.toggle;
