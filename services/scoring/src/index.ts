export { eraseScored } from './erase.ts';
export { factsFor, type FactsOf } from './facts.ts';
export { type ScoringSettings, scoringSchema } from './config.ts';
export { scoringMigrations } from './migrations.ts';
export { scoringOperations } from './operations.ts';
export { startScoring } from './service.ts';
export { findForgottenResults, takeOverResults } from './take-over.ts';
export { type Agreement, agreementSince, type Disagreement, disagreementsSince, standingOf } from './agreement.ts';
export { checkProviders, firstProvider, openProvider, type ProviderSettings, secondProvider } from './provider.ts';
