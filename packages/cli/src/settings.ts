import { auditWriterSchema, type AuditWriterSettings } from '@weir/audit-writer';
import { consoleSchema, type ConsoleSettings } from '@weir/console';
import { decisionSchema, type DecisionSettings } from '@weir/decision';
import { depositIngestSchema, type DepositIngestSettings } from '@weir/deposit-ingest';
import { riskApiSchema, type RiskApiSettings } from '@weir/risk-api';
import { scoringSchema, type ScoringSettings } from '@weir/scoring';
import { type BaseSettings, baseSchema, portSchema, type Schema } from '@weir/service-kit';
import { withdrawalGateSchema, type WithdrawalGateSettings } from '@weir/withdrawal-gate';
import { type PaySettings, payingSchema } from './screen/pay/settings.ts';

interface StartSettings {
  port: number;
  dataDir: string;
  consoleUrl: string;
  token: string;
}

/** All settings of `weir start`. */
export type AllSettings = BaseSettings &
  StartSettings &
  DepositIngestSettings &
  WithdrawalGateSettings &
  ScoringSettings &
  DecisionSettings &
  AuditWriterSettings &
  ConsoleSettings &
  RiskApiSettings &
  PaySettings;

export const allSchema = {
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
  consoleUrl: {
    doc: 'Where the console is, for "weir reviews" and "weir webhooks"; empty: the Weir of the data folder',
    format: 'http-url',
    default: '',
    env: 'WEIR_CONSOLE_URL',
  },
  token: {
    doc: 'Your own token, for "weir reviews" and "weir webhooks"',
    format: String,
    default: '',
    env: 'WEIR_TOKEN',
    sensitive: true,
  },
  ...depositIngestSchema,
  ...withdrawalGateSchema,
  ...scoringSchema,
  ...decisionSchema,
  ...auditWriterSchema,
  ...consoleSchema,
  ...riskApiSchema,
  ...payingSchema,
} as unknown as Schema<AllSettings>;
