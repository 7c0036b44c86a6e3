export { type Clock, systemClock } from './clock.ts';
export { ManualClock } from './manual-clock.ts';
