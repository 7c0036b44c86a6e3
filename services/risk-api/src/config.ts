import { defaultSettings, type RiskApiSettings } from './service.ts';

/** Settings of the risk API, as convict entries. */
export const riskApiSchema = {
  scoreCacheMs: {
    doc: 'How long a computed score answers further tasks for the same subject',
    format: 'positive-int',
    default: defaultSettings.scoreCacheMs,
    env: 'WEIR_SCORE_CACHE_MS',
  },
  taskRetentionMs: {
    doc: 'How long a task is kept after its last query',
    format: 'positive-int',
    default: defaultSettings.taskRetentionMs,
    env: 'WEIR_TASK_RETENTION_MS',
  },
  requeueAfterMs: {
    doc: 'A score not computed this long after it was handed out is handed out again; the process that had it is taken for dead',
    format: 'positive-int',
    default: defaultSettings.requeueAfterMs,
    env: 'WEIR_TASK_REQUEUE_MS',
  },
  workers: {
    doc: 'Scores computed at once in one process; each needs a database connection for moments',
    format: 'non-negative-int',
    default: defaultSettings.workers,
    env: 'WEIR_SCORE_WORKERS',
  },
  maintenanceMs: {
    doc: 'How often lost scores are handed out again and old records swept',
    format: 'positive-int',
    default: defaultSettings.maintenanceMs,
    env: 'WEIR_RISK_MAINTENANCE_MS',
  },
} satisfies Record<keyof RiskApiSettings, { doc: string; format: string; default: number; env: string }>;
