export type { Schema } from 'convict';
export {
  accessMigrations,
  type Caller,
  listTokens,
  type Role,
  readers,
  requireRole,
  revokeToken,
  roles,
  type StoredToken,
  storeToken,
} from './access.ts';
export { limitBody, readBody } from './body.ts';
export { ConfigError, listSettings, loadConfig, type Setting } from './config.ts';
export { createApp, healthRoutes, ListenError, problem, type RunningServer, serve } from './http.ts';
export { type KafkaTier, kafkaTier } from './kafka-connection.ts';
export { createLogger, type Logger } from './logger.ts';
export { createMetrics, type Metrics } from './metrics.ts';
export { type NewEvent, Outbox, type StoredEvent } from './outbox.ts';
export { type OpenPipeline, openPipeline, type Pipeline, type Service } from './pipeline.ts';
export { registrySchemaIds } from './registry-schema-ids.ts';
export { type SubjectState, surveyRegistry } from './registry-survey.ts';
export { withoutQueryValues } from './redact.ts';
export { runService, untilSignal } from './run.ts';
export { type BaseSettings, baseSchema, portSchema } from './settings.ts';
export { inTurns } from './turns.ts';
export { measureLag, type StageEvent, subscribeStage } from './stage.ts';
