import { chains } from '@weir/chains';
import type { ChainDataSettings } from '@weir/chain-store';
import type { TaskSettings } from './runs/tasks.ts';
import type { WatchSettings } from './score-changes/watches.ts';
import type { ReportSettings } from './reports/reports.ts';
import type { ServedSurface } from './http/operation.ts';
import { defaultListSettings, listSchema, type ListSettings } from './lists/settings.ts';
import { defaultPaySettings, paySchema, type PaySettings } from './payments/settings.ts';

export interface RiskApiSettings extends TaskSettings, WatchSettings, ReportSettings, PaySettings, ChainDataSettings, ListSettings {
  /** 0: this process computes no scores. */
  readonly workers: number;
  readonly scoreLimitMs: number;
  /** Period in which lost runs are enqueued again and old records swept. */
  readonly maintenanceMs: number;
  /** Comma-separated surfaces. */
  readonly surfaces: string;
  /** `host:port` of the sandbox's own listener; empty: none. */
  readonly sandboxListen: string;
  /** Public base URL; empty: the one that the caller used. */
  readonly publicUrl: string;
  /** Proxies whose `X-Forwarded-For` is trusted; shared by every service. */
  readonly trustedProxies: string;
}

export const defaultSettings: RiskApiSettings = {
  ...defaultPaySettings,
  ...defaultListSettings,
  labelsMaxAgeMs: 604_800_000,
  transfersMaxAgeMs: 86_400_000,
  chainMaxLagMs: 300_000,
  requiredChains: '',
  reportTtlMs: 86_400_000,
  scoreCacheMs: 3_600_000,
  taskRetentionMs: 86_400_000,
  requeueAfterMs: 5_000,
  scoreLimitMs: 60_000,
  syncWaitMs: 25_000,
  watchMs: 7_776_000_000,
  workers: 4,
  maintenanceMs: 60_000,
  surfaces: 'standard,sandbox,x402',
  sandboxListen: '',
  publicUrl: '',
  trustedProxies: '',
};

const servedSurfaces: readonly ServedSurface[] = ['standard', 'sandbox', 'x402'];

const listed = (value: unknown): void => {
  const names = String(value).split(',');
  const known: readonly string[] = servedSurfaces;
  if (new Set(names).size < names.length || !names.every((name) => known.includes(name)))
    throw new Error(`must be a list of ${servedSurfaces.join(', ')}, with commas and each once`);
};

const knownChains = (value: unknown): void => {
  const names = value === '' ? [] : String(value).split(',');
  const known: readonly string[] = chains;
  if (new Set(names).size < names.length || !names.every((name) => known.includes(name)))
    throw new Error(`must be a list of ${chains.join(', ')}, with commas and each once`);
};

const listenAddress = (value: unknown): void => {
  if (value !== '' && !/^(\[[0-9a-f:.]+\]|[^\s:/]+):\d{1,5}$/i.test(String(value))) throw new Error('must be host:port');
};

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
    doc: 'A run whose lease was not renewed for this long is computed again',
    format: 'positive-int',
    default: defaultSettings.requeueAfterMs,
    env: 'WEIR_TASK_REQUEUE_MS',
  },
  scoreLimitMs: {
    doc: 'How long computing one score may take; after that its task fails, and is computed again when it is asked for again',
    format: 'positive-int',
    default: defaultSettings.scoreLimitMs,
    env: 'WEIR_SCORE_LIMIT_MS',
  },
  syncWaitMs: {
    doc: 'How long /v1/risk_score and /v2/risk_score wait for a score that is being computed',
    format: 'positive-int',
    default: defaultSettings.syncWaitMs,
    env: 'WEIR_SCORE_WAIT_MS',
  },
  workers: {
    doc: 'Scores computed at once in one process; each needs a database connection for moments',
    format: 'non-negative-int',
    default: defaultSettings.workers,
    env: 'WEIR_SCORE_WORKERS',
  },
  maintenanceMs: {
    doc: 'How often lost runs are queued again and old records removed',
    format: 'positive-int',
    default: defaultSettings.maintenanceMs,
    env: 'WEIR_RISK_MAINTENANCE_MS',
  },
  reportTtlMs: {
    doc: 'How long the address of a report in an answer is good',
    format: 'positive-int',
    default: defaultSettings.reportTtlMs,
    env: 'WEIR_RISK_REPORT_TTL_MS',
  },
  watchMs: {
    doc: 'How long after its last request for a score a key sees changes to it (/v1/score_changes)',
    format: 'positive-int',
    default: defaultSettings.watchMs,
    env: 'WEIR_WATCH_MS',
  },
  surfaces: {
    doc: 'Which surfaces are served, with commas: standard, sandbox, x402 (paid for by the call)',
    format: listed,
    default: defaultSettings.surfaces,
    env: 'WEIR_RISK_SURFACES',
  },
  sandboxListen: {
    doc: 'Host and port on which the sandbox listens by itself where the risk API runs by itself; empty: beside the rest',
    format: listenAddress,
    default: defaultSettings.sandboxListen,
    env: 'WEIR_RISK_SANDBOX_LISTEN',
  },
  x402Listen: {
    doc: 'Host and port on which the pay-per-call API listens by itself where the risk API runs by itself; empty: beside the rest',
    format: listenAddress,
    default: defaultSettings.x402Listen,
    env: 'WEIR_RISK_X402_LISTEN',
  },
  ...paySchema,
  ...listSchema,
  labelsMaxAgeMs: {
    doc: 'Labels of a chain that were last imported longer ago are stale: readiness, metrics, an alert and "weir doctor" say so',
    format: 'positive-int',
    default: defaultSettings.labelsMaxAgeMs,
    env: 'WEIR_LABELS_MAX_AGE_MS',
  },
  transfersMaxAgeMs: {
    doc: 'Transfers of a chain are stale when the newest one is older: readiness, metrics, an alert and "weir doctor" say so',
    format: 'positive-int',
    default: defaultSettings.transfersMaxAgeMs,
    env: 'WEIR_TRANSFERS_MAX_AGE_MS',
  },
  chainMaxLagMs: {
    doc: 'A followed chain that has not caught up with its nodes for longer is behind: readiness, metrics, an alert and "weir doctor" say so',
    format: 'positive-int',
    default: defaultSettings.chainMaxLagMs,
    env: 'WEIR_CHAIN_MAX_LAG_MS',
  },
  requiredChains: {
    doc: 'Chains that must have labels and transfers, with commas; empty: only what has been imported is looked at',
    format: knownChains,
    default: defaultSettings.requiredChains,
    env: 'WEIR_REQUIRED_CHAINS',
  },
  publicUrl: {
    doc: 'Address under which callers find the risk API, for links in its answers; empty: the host they call it by, over http',
    format: 'http-url',
    default: defaultSettings.publicUrl,
    env: 'WEIR_RISK_PUBLIC_URL',
  },
} satisfies Record<
  Exclude<keyof RiskApiSettings, 'trustedProxies'>,
  { doc: string; format: unknown; default: number | string; env: string }
>;
