export { type ScoringSettings, scoringSchema } from './config.ts';
export { scoringMigrations } from './migrations.ts';
export { startScoring } from './service.ts';
export { createUpstreamClient } from './upstream-client.ts';
