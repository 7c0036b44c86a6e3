import { Hono } from 'hono';
import { z } from 'zod';
import type { Exposition } from '../expose.ts';
import { everybody, mount, type Operation, operation } from './operation.ts';

export interface HealthOptions {
  /** Unreachable dependencies; an empty list means ready. */
  unavailable(): Promise<readonly string[]>;
  /** Unreachable dependencies that it can do without. Still ready, so that a load balancer keeps it. */
  degraded?(): Promise<readonly string[]>;
  /** The metrics in the best form that an `Accept` header takes. */
  expose(accept: string | undefined): Promise<Exposition>;
  /** Problems that do not affect its work. */
  warnings?(): readonly string[] | Promise<readonly string[]>;
  /** How far followed chains are stored. */
  chains?(): Promise<readonly ChainLagView[]>;
}

const tag = 'health';
const names = z.array(z.string());
const chainLag = z.strictObject({
  chain: z.string(),
  lag_blocks: z.int().min(0).nullable().describe('Between the newest block of its nodes and the last stored one; null before the first.'),
  lag_seconds: z.number().min(0).nullable().describe('Age of the last stored block; null before the first.'),
  behind_seconds: z.number().min(0).nullable().describe('Since its nodes last had no confirmed block that is not stored; null: never yet.'),
});
export type ChainLagView = z.output<typeof chainLag>;
export const readinessView = z.strictObject({
  status: z.enum(['ready', 'not ready']),
  unavailable: names.describe('Unreachable dependencies.'),
  degraded: names.exactOptional().describe('Unreachable dependencies that it can do without.'),
  warnings: names.exactOptional().describe('Problems that do not affect its work.'),
  chains: z.array(chainLag).exactOptional().describe('How far followed chains are stored, where chains are followed.'),
});
export type ReadinessView = z.output<typeof readinessView>;
const notReady = { status: 'not ready', unavailable: ['database'] };

async function readinessOf(options: HealthOptions): Promise<ReadinessView> {
  const [unavailable, degraded, warnings = [], chains = []] = await Promise.all([
    options.unavailable(),
    options.degraded?.(),
    options.warnings?.(),
    options.chains?.(),
  ]);
  const more = {
    ...(degraded && { degraded: [...degraded] }),
    ...(warnings.length > 0 && { warnings: [...warnings] }),
    ...(chains.length > 0 && { chains: [...chains] }),
  };
  return { status: unavailable.length === 0 ? 'ready' : 'not ready', unavailable: [...unavailable], ...more };
}

/** The answer of `/readyz` for the other parts of a process, once it has all of them. */
export class Readiness {
  #options: HealthOptions | undefined;
  #process = '';

  /** The service, or `weir` where all are one process. */
  get process(): string {
    return this.#process;
  }

  set(process: string, options: HealthOptions): void {
    this.#process = process;
    this.#options = options;
  }

  async read(): Promise<ReadinessView | undefined> {
    return this.#options === undefined ? undefined : readinessOf(this.#options);
  }
}

/** For probes and Prometheus. */
export function healthOperations(options: HealthOptions): readonly Operation[] {
  const alive = operation({
    name: 'get_health',
    method: 'GET',
    path: '/healthz',
    tag,
    isPolled: true,
    summary: 'Answers while the process is alive.',
    admission: everybody,
    answers: [{ status: 200, description: 'Alive.', schema: z.strictObject({ status: z.literal('ok') }), example: { status: 'ok' } }],
    respond: (c) => c.json({ status: 'ok' }),
  });
  const ready = operation({
    name: 'get_readiness',
    method: 'GET',
    path: '/readyz',
    tag,
    isPolled: true,
    summary: 'Tells whether everything that it needs can be reached.',
    admission: everybody,
    answers: [
      { status: 200, description: 'Ready.', schema: readinessView, example: { status: 'ready', unavailable: [] } },
      { status: 503, description: 'A required dependency is unavailable.', schema: readinessView, example: notReady },
    ],
    respond: async (c) => {
      const found = await readinessOf(options);
      return c.json(found, found.status === 'ready' ? 200 : 503);
    },
  });
  const metrics = operation({
    name: 'get_metrics',
    method: 'GET',
    path: '/metrics',
    tag,
    isPolled: true,
    summary: 'Metrics for Prometheus.',
    description: 'OpenMetrics, with exemplars, for who accepts application/openmetrics-text.',
    admission: everybody,
    answers: [
      { status: 200, description: 'In the text format.', type: 'text/plain', schema: z.string(), example: 'weir_audit_tree_size 7' },
    ],
    respond: async (c) => {
      const { type, text } = await options.expose(c.req.header('accept'));
      return c.text(text, 200, { 'content-type': type });
    },
  });
  return [alive, ready, metrics];
}

export function healthRoutes(options: HealthOptions): Hono {
  const app = new Hono();
  mount(app, healthOperations(options));
  return app;
}
