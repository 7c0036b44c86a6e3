import type { components, ProblemCode } from './generated/api.ts';

/** Problem details (RFC 9457). Some problems have further members. */
export type Problem = components['schemas']['Problem'] & Readonly<Record<string, unknown>>;

/**
 * Codes of the client itself.
 *
 * | Code | Retriable | |
 * |---|---|---|
 * | `NETWORK` | yes | no connection, or one that was cut |
 * | `TIMEOUT` | yes | no whole answer in time |
 * | `ABORTED` | no | the caller's signal |
 * | `UNREADABLE` | no | an answer that is not of this API: not JSON, cut, too large, or of another transfer |
 * | `NO_PROBLEM_DETAILS` | 429, 502, 503, 504 | a status without problem details, as proxies answer |
 */
export type ClientCode = 'NETWORK' | 'TIMEOUT' | 'ABORTED' | 'UNREADABLE' | 'NO_PROBLEM_DETAILS';

/** Later versions of Weir may add codes. */
export type ErrorCode = ProblemCode | ClientCode | (string & {});

interface Details {
  readonly status?: number;
  readonly problem?: Problem;
  readonly retriable?: boolean;
  readonly isUnprocessed?: boolean;
  readonly retryAfterMs?: number;
}

/** Every failure of a call. The message contains no token and no URL. */
export class WeirError extends Error {
  override readonly name = 'WeirError';
  readonly code: ErrorCode;
  /** Undefined without an answer. */
  readonly status: number | undefined;
  readonly problem: Problem | undefined;
  /** Whether the same request may succeed later. */
  readonly retriable: boolean;
  /** True when Weir has certainly not acted on the request. */
  readonly isUnprocessed: boolean;
  /** The server's Retry-After. */
  readonly retryAfterMs: number | undefined;

  constructor(code: ErrorCode, detail: string, { status, problem, retriable = false, isUnprocessed = false, retryAfterMs }: Details = {}) {
    super(`${status === undefined ? '' : `${status} `}${code}: ${detail}`);
    this.code = code;
    this.status = status;
    this.problem = problem;
    this.retriable = retriable;
    this.isUnprocessed = isUnprocessed;
    this.retryAfterMs = retryAfterMs;
  }
}

const retriableStatuses: readonly number[] = [429, 502, 503, 504];

/** The error of an answer that is not 2xx. */
export function errorOf(status: number, body: unknown, retryAfterMs: number | undefined): WeirError {
  const shared = {
    status,
    retriable: retriableStatuses.includes(status),
    // A 4xx refuses before anything is stored. After 5xx nobody knows.
    isUnprocessed: status >= 400 && status < 500,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
  if (!isProblem(body)) return new WeirError('NO_PROBLEM_DETAILS', 'the answer has no problem details', shared);
  return new WeirError(body.code, body.detail, { ...shared, problem: body });
}

function isProblem(body: unknown): body is Problem {
  const { code, detail } = (body ?? {}) as Partial<Problem>;
  return typeof code === 'string' && typeof detail === 'string';
}
