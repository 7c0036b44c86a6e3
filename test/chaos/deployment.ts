import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OpenPipeline } from '@weir/service-kit';
import type { ChaosUpstream } from './upstream.ts';

/** Shared by every process of this run across restarts. */
const permitKeySecret = randomBytes(24).toString('hex');

export type Tier = 'embedded' | 'kafka';

export const services = ['deposit-ingest', 'withdrawal-gate', 'scoring', 'decision', 'audit-writer', 'console'] as const;
export type ServiceName = (typeof services)[number];

/** A part that can be killed. On the embedded tier one process holds all services, and PostgreSQL stands for broker, Redis and registry. */
export type Part = ServiceName | 'postgres' | 'broker' | 'redis';
export type Which = 'first' | 'second' | 'both';

/** Ends the fault; resolves when the part is ready. */
export type Undo = () => Promise<void>;

/** All of Weir in processes of its own, with a risk API that counts requests. It stays up between runs. */
export interface Deployment {
  readonly tier: Tier;
  readonly upstream: ChaosUpstream;
  /** Base URLs that accept deposits. */
  ingest(): readonly string[];
  token(): string;
  /** Connects as a service does; the caller closes it. */
  open(): Promise<OpenPipeline>;
  /** SIGKILL. `which` selects replicas and applies to services only. */
  kill(part: Part, which: Which): Promise<Undo>;
  /** SIGTERM to one replica of every service, or to all. */
  leave(which: Which): Promise<Undo>;
  /** FLUSHALL. Without Redis it kills and restarts the PostgreSQL that holds the budget. */
  flushRedis(): Promise<void>;
  /** Restarts Redis empty. Without Redis it acts as `kill` of PostgreSQL. */
  replaceRedis(): Promise<Undo>;
  /** Cuts off the schema registry. Without one it acts as `kill` of PostgreSQL. */
  registryAway(): Promise<Undo>;
  /** Shifts the wall clock of one replica of every service by `clockMs`. */
  setClock(which: Which, clockMs: number): Promise<Undo>;
  /** Restarts all scoring replicas with this daily limit of creates; undefined restores the initial limit. */
  setPerDay(perDay: number | undefined): Promise<void>;
  /** Unexpected exits after readiness, by process. */
  ended(): Readonly<Record<string, number>>;
  output(): string;
  close(): Promise<void>;
}

/** Creates per sliding second. The limit is low so that lookups wait at all times and every fault meets some. */
export const perSecond = 20;
export const perDay = 1_000_000;

/** Settings of every process. Short deadlines make every run produce holds and revisions. */
export function settingsOf(upstream: ChaosUpstream): NodeJS.ProcessEnv {
  return {
    WEIR_UPSTREAM_URL: upstream.url,
    WEIR_UPSTREAM_API_KEY: upstream.apiKey,
    WEIR_UPSTREAM_PER_SECOND: String(perSecond),
    WEIR_UPSTREAM_PER_DAY: String(perDay),
    WEIR_UPSTREAM_POLL_MS: '100',
    WEIR_WITHDRAWAL_DEADLINE_MS: '5000',
    WEIR_DEPOSIT_DEADLINE_MS: '8000',
    WEIR_PERMIT_KEY_SECRET: permitKeySecret,
    WEIR_LOG_LEVEL: 'warn',
    // Processes restart often, so keep their compiled code.
    NODE_COMPILE_CACHE: join(tmpdir(), 'weir-compile-cache'),
  };
}
