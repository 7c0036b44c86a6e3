import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OpenPipeline } from '@weir/service-kit';
import type { ChaosUpstream } from './upstream.ts';

/** Survives restarts. */
const permitKeySecret = randomBytes(24).toString('hex');

export type Tier = 'embedded' | 'kafka';

export const services = ['deposit-ingest', 'withdrawal-gate', 'scoring', 'decision', 'audit-writer', 'console'] as const;
export type ServiceName = (typeof services)[number];

/** On the embedded tier one process holds all services, and PostgreSQL stands for broker, Redis and registry. */
export type Part = ServiceName | 'postgres' | 'broker' | 'redis';
export type Which = 'first' | 'second' | 'both';

/** Ends the fault; resolves when the part is ready. */
export type Undo = () => Promise<void>;

/** All of Weir in its own processes, with a risk API that counts. It stays up between runs. */
export interface Deployment {
  readonly tier: Tier;
  readonly upstream: ChaosUpstream;
  ingest(): readonly string[];
  token(): string;
  /** Holds the key and the last checkpoint of the audit log. */
  readonly auditDir: string;
  /** The caller closes it. */
  open(): Promise<OpenPipeline>;
  /** SIGKILL. `which` selects replicas and applies to services only. */
  kill(part: Part, which: Which): Promise<Undo>;
  /** SIGTERM to one replica of every service, or to all. */
  leave(which: Which): Promise<Undo>;
  /** Without Redis: kills the PostgreSQL that holds the budget. */
  flushRedis(): Promise<void>;
  /** Restarts Redis empty. Without Redis: `kill` of PostgreSQL. */
  replaceRedis(): Promise<Undo>;
  /** Without a registry: `kill` of PostgreSQL. */
  registryAway(): Promise<Undo>;
  /** Shifts the wall clock of one replica of every service. */
  setClock(which: Which, clockMs: number): Promise<Undo>;
  /** Restarts scoring with this daily limit; undefined restores the initial one. */
  setPerDay(perDay: number | undefined): Promise<void>;
  /** Unexpected exits after readiness, by process. */
  ended(): Readonly<Record<string, number>>;
  output(): string;
  close(): Promise<void>;
}

export interface DeploymentOptions {
  /** A folder for the services' output. */
  readonly logs?: string | undefined;
  /** On Kafka: ingest, scoring and decision share their processes. */
  readonly isComposed?: boolean;
  /** Creates a second that the risk API takes, on Kafka. Default: `perSecond`. */
  readonly perSecond?: number;
  /** Further settings of the services, on Kafka. */
  readonly env?: NodeJS.ProcessEnv;
  /** Properties of the broker, by Kafka's names. */
  readonly broker?: Readonly<Record<string, string | number>>;
}

/** Low, so that lookups wait at all times and every fault meets some. */
export const perSecond = 20;
export const perDay = 1_000_000;

/** Short deadlines make every run produce holds and revisions. */
export function settingsOf(upstream: ChaosUpstream, creates = perSecond): NodeJS.ProcessEnv {
  return {
    WEIR_UPSTREAM_URL: upstream.url,
    WEIR_UPSTREAM_API_KEY: upstream.apiKey,
    WEIR_UPSTREAM_PER_SECOND: String(creates),
    WEIR_UPSTREAM_PER_DAY: String(perDay),
    WEIR_UPSTREAM_POLL_MS: '100',
    WEIR_WITHDRAWAL_DEADLINE_MS: '5000',
    WEIR_DEPOSIT_DEADLINE_MS: '8000',
    WEIR_PERMIT_KEY_SECRET: permitKeySecret,
    WEIR_LOG_LEVEL: 'warn',
    // Processes restart often, so keep their compiled code.
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? join(tmpdir(), 'weir-compile-cache'),
  };
}
