import { investigate } from '@weir/chain-store';
import { succeeded } from '../../http/envelope.ts';
import { addressRequest, investigationExample } from '../../http/examples.ts';
import { investigation, succeededWith } from '../../http/schemas/answers.ts';
import { paidInvestigation } from '../../http/schemas/requests.ts';
import { pageQuery } from '../standard/analyses.ts';
import { targetRefusals } from '../standard/scores.ts';
import {
  addressActionOperation,
  addressCounterpartyOperation,
  addressLabelsOperation,
  addressOverviewOperation,
  addressTraceOperation,
} from './address-operations.ts';
import { type PaidOperation, type PaidParts, paidOperation } from './paid-operation.ts';
import { createTaskOperation, riskScoreOperation } from './score-operations.ts';

/** The eight paid calls. Each answers as its counterpart on the standard API. */
export function paidOperations(parts: PaidParts): PaidOperation[] {
  return [
    addressLabelsOperation,
    addressOverviewOperation,
    riskScoreOperation,
    createTaskOperation,
    investigationOperation,
    addressActionOperation,
    addressTraceOperation,
    addressCounterpartyOperation,
  ].map((create) => create(parts));
}

function investigationOperation({ db, store, clock }: PaidParts): PaidOperation {
  return paidOperation({
    method: 'GET',
    price: 'transactions_investigation',
    summary: "An address's transfers in one coin, grouped by counterparty.",
    description: 'Newest first. The parameters of the standard call are taken here too, to turn pages; each page is a call.',
    request: paidInvestigation,
    answer: succeededWith(investigation),
    example: { request: addressRequest, answer: investigationExample },
    refusals: targetRefusals,
    read: (asked) => pageQuery(asked, clock.now()),
    run: async (query) => ({ body: succeeded(await investigate(db, store, query)) }),
  });
}
