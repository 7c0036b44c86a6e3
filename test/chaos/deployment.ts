import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OpenPipeline } from '@weir/service-kit';
import type { ChaosUpstream } from './upstream.ts';

/** Of every process of this run, all restarts included. */
const permitKeySecret = randomBytes(24).toString('hex');

export type Tier = 'embedded' | 'kafka';

export const services = ['deposit-ingest', 'withdrawal-gate', 'scoring', 'decision', 'audit-writer', 'console'] as const;
export type ServiceName = (typeof services)[number];

/** What can be killed. On the embedded tier all services are one process, and broker, Redis and registry are its PostgreSQL. */
export type Part = ServiceName | 'postgres' | 'broker' | 'redis';
export type Which = 'first' | 'second' | 'both';

/** Brings back what was taken away; resolves when it is ready. */
export type Undo = () => Promise<void>;

/** The whole of Weir in processes of its own, beside a risk API that counts. It stays up from run to run. */
export interface Deployment {
  readonly tier: Tier;
  readonly upstream: ChaosUpstream;
  /** Addresses that take deposits. */
  ingest(): readonly string[];
  token(): string;
  /** Connects as a service would; the caller closes it. */
  open(): Promise<OpenPipeline>;
  /** SIGKILL, without a moment's notice. `which` of the replicas is for services only. */
  kill(part: Part, which: Which): Promise<Undo>;
  /** SIGTERM to one replica of every service, or to all there is. */
  leave(which: Which): Promise<Undo>;
  /** FLUSHALL, where there is a Redis; else the PostgreSQL that holds the budget is killed and comes back. */
  flushRedis(): Promise<void>;
  /** A Redis that comes back with nothing it knew; else as `kill` of PostgreSQL. */
  replaceRedis(): Promise<Undo>;
  /** The schema registry cannot be reached; else as `kill` of PostgreSQL. */
  registryAway(): Promise<Undo>;
  /** The wall clock of one replica of every service is off by so much. */
  setClock(which: Which, clockMs: number): Promise<Undo>;
  /** Restarts all scoring, with so many creates for the day; undefined: as at first. */
  setPerDay(perDay: number | undefined): Promise<void>;
  /** Processes that ended by themselves after they had been ready, and how often. */
  ended(): Readonly<Record<string, number>>;
  output(): string;
  close(): Promise<void>;
}

/** Creates in any sliding second. Low enough that questions wait at every moment of a run, so that each fault meets some. */
export const perSecond = 20;
export const perDay = 1_000_000;

/** Settings of every process of a run: short deadlines, so that holds and the revisions that follow them are part of each. */
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
    // Processes start again and again here; what they are compiled to is kept between.
    NODE_COMPILE_CACHE: join(tmpdir(), 'weir-compile-cache'),
  };
}
