import { actionsAnswerOf, counterpartiesAnswerOf, labelsAnswerOf, transfersAnswerOf } from '../analyses.ts';
import { type Context, queryAnswerOf, startAnswerOf } from '../answer.ts';
import type { Reply } from '../http.ts';
import { traceAnswerOf } from '../trace.ts';
import { overviewAnswerOf } from '../overview.ts';
import { locationOf } from './reading.ts';
import type { PaidAnswer, PaidOperation, TaskAnswer } from './types.ts';

interface OperationOf<Answer> {
  readonly method: 'GET' | 'POST';
  /** Micro-USDC, from the specification; the default cap of a call. */
  readonly price: bigint;
  read(reply: Reply, context: Context, base: URL): Answer;
}

/** The path is `/x402/` and the name. */
export const operations = {
  address_labels: { method: 'GET', price: 100_000n, read: labelsAnswerOf },
  address_overview: { method: 'GET', price: 500_000n, read: overviewAnswerOf },
  risk_score: { method: 'GET', price: 1_000_000n, read: queryAnswerOf },
  risk_score_create_task: { method: 'POST', price: 1_000_000n, read: taskAnswerOf },
  transactions_investigation: { method: 'GET', price: 1_000_000n, read: transfersAnswerOf },
  address_action: { method: 'GET', price: 500_000n, read: actionsAnswerOf },
  address_trace: { method: 'GET', price: 500_000n, read: traceAnswerOf },
  address_counterparty: { method: 'GET', price: 500_000n, read: counterpartiesAnswerOf },
} as const satisfies Record<PaidOperation, OperationOf<PaidAnswer>>;

export type AnswerOf<Name extends PaidOperation> = ReturnType<(typeof operations)[Name]['read']>;

function taskAnswerOf(reply: Reply, context: Context, base: URL): TaskAnswer {
  const answer = startAnswerOf(reply, context);
  return answer.kind === 'started' ? { ...answer, location: locationOf(reply, base) } : answer;
}
