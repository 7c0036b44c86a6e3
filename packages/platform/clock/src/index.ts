export { type BackoffOptions, backoff } from './backoff.ts';
export { CircuitBreaker } from './circuit-breaker.ts';
export { type Clock, systemClock } from './clock.ts';
export { ManualClock } from './manual-clock.ts';
export { type RepeatOptions, repeat } from './repeat.ts';
export { KeyedSignal, Signal, type Waiter } from './signal.ts';
export { TimeLimitError, type WithinOptions, within } from './within.ts';
