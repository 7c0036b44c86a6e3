export type { Schema } from 'convict';
export { clientAddress, parseNetworks } from './access/client-address.ts';
export { type ErasedEvents, eraseActivities, erasedTransfer, eraseEvents, findActivities, UnreadEventsError } from './erase-events.ts';
export { activityActions, type NewActivity, recordActivity, type TakenActivity, takeActivities, weir } from './access/activities.ts';
export { Access, type Callers, requireRole } from './access/guard.ts';
export { callerIdOf, isJwt, nameOf, personId, roleOf as personRoleOf } from './access/identity.ts';
export { readProviderKeys } from './access/provider-keys.ts';
export {
  type Caller,
  machineRoles,
  needsPerson,
  personOf,
  type PersonRole,
  personRoles,
  type Role,
  readers,
  roles,
  type TokenLimits,
} from './access/roles.ts';
export { type AccessSettings, accessSchema, type SignInOptions, signInOptions } from './access/settings.ts';
export { findToken, hashToken, listTokens, revokeToken, type StoredToken, storeToken, tokenId } from './access/tokens.ts';
export { csv } from './api/csv.ts';
export { type Exported, exportOperation, exportPages, exportRows, mostExported } from './api/export.ts';
export { type InputProblem, inputProblems, inWords } from './api/input-problem.ts';
export { type Admission, admission, everybody, type Operation, operation, type Problems } from './api/operation.ts';
export { refuseInput } from './api/read-input.ts';
export { ConfigError, environmentOf, listSettings, loadConfig, type Setting } from './config.ts';
export { createDescribedApp } from './api/described-app.ts';
export type { Html, Page } from './api/docs/page.ts';
export { docsPaths, docsRoutes } from './api/docs/routes.ts';
export { exposureView, type ExposureView } from './api/exposure-view.ts';
export { groundsView, type GroundsView } from './api/grounds-view.ts';
export { pageHeaders } from './api/page-headers.ts';
export { type ChainLagView, healthRoutes, Readiness, readinessView } from './api/health.ts';
export { requestIdOf, traceFieldOf } from './api/observe.ts';
export { AppendFile, parseAppended, readAppended } from './append-file.ts';
export { bare, type Described, type Json, parametersOf } from './api/schemas.ts';
export { closedApp, createApp, ListenError, type RunningServer, serve, serveBoth, type ServeOptions } from './http.ts';
export { combinedRoles, databaseAccess, type DatabaseUser, pipelineRole, roleOf, serviceNames } from './database-access.ts';
export {
  deadLetterAt,
  deadLetters,
  deadLetterTopicOf,
  findDeadLetter,
  findDeadLetters,
  parsePlace,
  type Place,
  placeText,
  replayDeadLetters,
  sourceTopicOf,
} from './dead-letters/dead-letters.ts';
export { deadLetterDetail, deadLetterItem, type DeadLetterItem, decodeRecord } from './dead-letters/view.ts';
export { type KafkaTier, kafkaTier } from './kafka-connection.ts';
export type { Exposition } from './expose.ts';
export { createLogger, type Logger, loggerOf } from './logger.ts';
export { findAhead, recordOffsets } from './group-offsets.ts';
export { type Job, Jobs } from './jobs.ts';
export { forgetJob, jobMigrations, jobModule, type JobRow, readJobs } from './job-rows.ts';
export { oncePerScrape } from './scrape.ts';
export { createMetrics, createScreeningGauges, measurePool, type Metrics } from './metrics.ts';
export { accessMigrations } from './migrations.ts';
export { Outbox } from './outbox.ts';
export { pinPublished } from './pin-published.ts';
export type { NewEvent, StoredEvent } from './outbox-events.ts';
export { problem } from './problem.ts';
export { publishAgain, type Rebuild } from './rebuild.ts';
export { recordSettings } from './record-settings.ts';
export { isRestored, markReconciled, markRestored, restoredDetail, untilRestored } from './recovery.ts';
export { requestedEvent } from './requested-event.ts';
export { type OpenPipeline, openPipeline, type Pipeline, type Service, sharedMigrations } from './pipeline.ts';
export { registrySchemaIds } from './registry-schema-ids.ts';
export { type SubjectState, surveyRegistry } from './registry-survey.ts';
export { withoutQueryValues } from './redact.ts';
export { endInTime, runService, untilSignal } from './run.ts';
export { serviceHelp, ServiceUsageError } from './service-help.ts';
export { runApart } from './run-apart.ts';
export { type BaseSettings, baseSchema, portSchema } from './settings.ts';
export { certificateExpiry, tlsSchema, type TlsSettings } from './server-tls.ts';
export { coalesce } from './coalesce.ts';
export { traceRecords } from './traced-records.ts';
export { tracingOptions } from './tracing-settings.ts';
export { checkVariables } from './variables.ts';
export { measureLag, type StageEvent, subscribeStage } from './stage.ts';
export { type Batch, BatchTooLarge, type Ran, type Stage, Stages, type Step, type StepEvent, TryAgain } from './stages.ts';
