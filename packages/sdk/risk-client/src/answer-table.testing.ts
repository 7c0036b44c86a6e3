import type { Script } from './testing.ts';

/** One answer of a risk API, and the outcome that every user of this package must derive. */
export interface AnswerRow {
  readonly name: string;
  readonly script: Script;
  readonly outcome: 'SCORED' | 'NO_DATA' | 'UNAVAILABLE' | 'UNSUPPORTED' | 'INVALID';
  /** The first reason, at the deadline for a retried answer. Undefined: none. */
  readonly reason?: string;
  /** A later good answer then counts. */
  readonly isRetried: boolean;
  /** The API rejects the key. A service retries, because its key may be renewed; a command ends. */
  readonly endsCommand?: true;
}

const refused = (on: 'create' | 'query', status: number, msg: string): Script => ({
  instead: { on, status, body: JSON.stringify({ success: false, msg, data: {}, retry_after: 1 }) },
});
const page = (on: 'create' | 'query'): Script => ({ instead: { on, status: 200, body: '<html>', type: 'text/html' } });
const final = (name: string, script: Script, outcome: AnswerRow['outcome'], reason?: string): AnswerRow => ({
  name,
  script,
  outcome,
  isRetried: false,
  ...(reason !== undefined && { reason }),
});
const retried = (name: string, script: Script, reason: string): AnswerRow => ({
  name,
  script,
  outcome: 'UNAVAILABLE',
  reason,
  isRetried: true,
});

export const answerTable: readonly AnswerRow[] = [
  final('a level', {}, 'SCORED'),
  final('coverage none', { data: { coverage: 'none' } }, 'NO_DATA'),
  final('UnsupportedToken', refused('create', 400, 'UnsupportedToken'), 'UNSUPPORTED', 'UNSUPPORTED_COIN'),
  final('UnsupportedAddressType to the query', refused('query', 400, 'UnsupportedAddressType'), 'UNSUPPORTED', 'UNSUPPORTED_COIN'),
  final('InvalidAddress', refused('create', 400, 'InvalidAddress'), 'INVALID', 'INVALID_TRANSFER'),
  retried('a level that contradicts its score', { data: { score: 95 } }, 'UPSTREAM_UNREADABLE'),
  retried('a result without its level', { data: { risk_level: null } }, 'UPSTREAM_UNREADABLE'),
  retried('a result that is stale', { data: { scanned_ts: 1_600_000_000 } }, 'UPSTREAM_UNREADABLE'),
  retried('a web page', page('create'), 'UPSTREAM_UNREADABLE'),
  retried('a web page to the query', page('query'), 'UPSTREAM_UNREADABLE'),
  retried('an error of the server', refused('create', 503, 'ServiceUnavailable'), 'UPSTREAM_UNAVAILABLE'),
  retried('an error of the server to the query', refused('query', 500, 'InternalError'), 'UPSTREAM_UNAVAILABLE'),
  retried('PageNotFound', refused('create', 404, 'PageNotFound'), 'UPSTREAM_REJECTED'),
  retried('a refusal without a code', refused('create', 403, 'no'), 'UPSTREAM_REJECTED'),
  retried('a refusal of the query', refused('query', 403, 'no'), 'UPSTREAM_REJECTED'),
  { ...retried('InvalidApiKey', refused('create', 400, 'InvalidApiKey'), 'UPSTREAM_REJECTED'), endsCommand: true },
  { ...retried('ExpiredPlan', refused('create', 402, 'ExpiredPlan'), 'UPSTREAM_REJECTED'), endsCommand: true },
  retried('ExceededRateLimit', refused('create', 429, 'ExceededRateLimit'), 'BUDGET_EXHAUSTED'),
  retried('a task that still runs', { running: 1_000_000 }, 'DEADLINE_PASSED'),
  retried('TaskNotFound', { forgotten: 1_000_000 }, 'DEADLINE_PASSED'),
];

/** A script that reads `current` at each request. */
export function changingScript(current: () => Script): () => Script {
  return () => ({
    ...current(),
    get running() {
      return current().running ?? 0;
    },
    get forgotten() {
      return current().forgotten ?? 0;
    },
    get data() {
      return current().data ?? {};
    },
  });
}
