import { auditOperations } from '@weir/audit-writer';
import { systemClock } from '@weir/clock';
import { consoleOperations, webhookOperations } from '@weir/console';
import { policyOperations } from '@weir/decision';
import { depositOperations, watchedOperations } from '@weir/deposit-ingest';
import { scoringOperations } from '@weir/scoring';
import { Access, createDescribedApp, createLogger, createMetrics } from '@weir/service-kit';
import { permitOperations, withdrawalOperations } from '@weir/withdrawal-gate';

/** Stands for the parts that only handlers use: none runs here. */
const unused = {} as never;

/** The OpenAPI description that the pipeline's port serves. Needs no database. */
export async function describePipeline(): Promise<unknown> {
  const clock = systemClock;
  const logger = createLogger({ service: 'describe', level: 'silent' });
  const metrics = createMetrics();
  const access = new Access({ db: unused, clock, logger, metrics });
  const own = { access, clock };
  const parts = { pool: unused, log: unused, codec: unused, readiness: unused };
  const gate = { ...own, ...parts, intake: unused, waiters: unused, availability: unused, keyring: unused };
  const issuing = { issuing: unused, journal: undefined, metrics: unused, stopping: unused };
  const operations = [
    ...auditOperations({ access, pool: unused, codec: unused, keys: undefined, latest: unused, refreshed: unused, witness: undefined }),
    ...depositOperations({ access, intake: unused }),
    ...watchedOperations({ access, db: unused, clock: unused }),
    ...withdrawalOperations({ ...gate, ...issuing }),
    ...permitOperations({ ...gate, ...issuing }),
    ...policyOperations({ db: unused, ...own }),
    ...consoleOperations({ ...own, ...parts }, { reviewService: unused, sessions: unused, signIn: undefined, parts: [], stopping: unused }),
    ...webhookOperations(unused, access, undefined),
    ...scoringOperations(
      { ...own, pool: unused },
      { provider: unused, explorer: undefined, providers: unused, calls: unused, budget: unused, maxAnswerAgeMs: 0 },
    ),
  ];
  const health = { unavailable: async () => [], expose: async () => ({ type: '', text: '' }) };
  const answer = await createDescribedApp({ clock, logger, metrics, operations, health }).request('/openapi.json');
  return answer.json();
}
