export { type CallOptions, type Redemption, WeirClient, type WeirClientOptions, type Withdrawal } from './client.ts';
export { type Clock, systemClock } from './clock.ts';
export { type ClientCode, type ErrorCode, type Problem, WeirError } from './errors.ts';
export type { ActEvent, DecisionEvent, HealthEvent, StreamEvent, StreamOptions, WeirEvent } from './events.ts';
export type { components, ProblemCode } from './generated/api.ts';
export type { AnswerOf, InputOf, OperationName } from './operations.ts';
export type { RetryPolicy } from './retry.ts';
export {
  type WebhookCode,
  type WebhookRequest,
  type WebhookVerification,
  WebhookVerifier,
  type WebhookVerifierOptions,
} from './webhooks.ts';
