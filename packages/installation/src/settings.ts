import { auditWriterSchema, type AuditWriterSettings } from '@weir/audit-writer/config';
import { chainFollowerSchema, type FollowerSettings } from '@weir/chain-follower/config';
import { consoleSchema, type ConsoleSettings } from '@weir/console/config';
import { decisionSchema, type DecisionSettings } from '@weir/decision/config';
import { depositIngestSchema, type DepositIngestSettings } from '@weir/deposit-ingest/config';
import type { RiskApiSettings } from '@weir/risk-api';
import { riskApiSchema } from '@weir/risk-api/config';
import { scoringSchema, type ScoringSettings } from '@weir/scoring/config';
import type { Schema } from '@weir/service-kit';
import { type BaseSettings, baseSchema, portSchema } from '@weir/service-kit/settings';
import { withdrawalGateSchema, type WithdrawalGateSettings } from '@weir/withdrawal-gate/config';
import { checkStages } from './stages.ts';

/** Settings of the pipeline's services. */
export type PipelineSettings = BaseSettings & {
  stages: string;
} & DepositIngestSettings &
  WithdrawalGateSettings &
  ScoringSettings &
  DecisionSettings &
  AuditWriterSettings &
  ConsoleSettings;

/** Without those of `BaseSettings`. */
export const pipelineSchema = {
  stages: {
    doc: 'Services of the pipeline that this process runs together, with commas; empty: all. A service that is started by its own main.ts runs alone',
    format: checkStages,
    default: '',
    env: 'WEIR_STAGES',
  },
  ...depositIngestSchema,
  ...withdrawalGateSchema,
  ...scoringSchema,
  ...decisionSchema,
  ...auditWriterSchema,
  ...consoleSchema,
} as unknown as Schema<Omit<PipelineSettings, keyof BaseSettings>>;

/** More belong on more machines. The ports end before that of the risk API. */
const mostProcesses = 64;

/** Settings of an installation: those of every service, its port and its data folder. */
export type InstallationSettings = PipelineSettings & {
  port: number;
  dataDir: string;
  backupDir: string;
  processes: number;
  retentionDecisionsDays: number;
  privacyEarlyErasure: boolean;
} & RiskApiSettings &
  FollowerSettings;

export const installationSchema = {
  ...baseSchema,
  // The terminal shows decisions; warnings still appear.
  logLevel: { ...(baseSchema.logLevel as object), default: 'warn' },
  ...portSchema(4000),
  dataDir: {
    doc: 'Folder for the embedded database and the development credentials',
    format: String,
    default: '.weir',
    env: 'WEIR_DATA_DIR',
  },
  backupDir: {
    doc: 'Folder for the backups of the embedded database: from the next start on its WAL goes there, and "weir backup" copies its files there. Best on another disk. Empty: as at the start before',
    format: String,
    default: '',
    env: 'WEIR_BACKUP_DIR',
  },
  retentionDecisionsDays: {
    doc: 'Days after which transfers, decisions with their evidence, cases and payloads of the audit log are erased, by weir start or "weir privacy expire"; no request erases them before. 0: never',
    format: 'nat',
    default: 1_827,
    env: 'WEIR_RETENTION_DECISIONS_DAYS',
  },
  privacyEarlyErasure: {
    doc: 'Whether two people may erase a customer before WEIR_RETENTION_DECISIONS_DAYS have passed: only where no law demands the records',
    format: Boolean,
    default: false,
    env: 'WEIR_PRIVACY_EARLY_ERASURE',
  },
  processes: {
    doc: "Processes of weir start: the first runs everything, further ones the services of a transfer's path. Process n has the port + n - 1",
    format: (value: unknown) => {
      if (!Number.isSafeInteger(value) || (value as number) < 1 || (value as number) > mostProcesses)
        throw new Error(`must be a whole number from 1 to ${mostProcesses}`);
    },
    default: 1,
    env: 'WEIR_PROCESSES',
  },
  ...pipelineSchema,
  ...riskApiSchema,
  ...chainFollowerSchema,
} as unknown as Schema<InstallationSettings>;
