import { addressActions, addressCounterparties, addressLabels, addressOverview } from '@weir/chain-store';
import type { Clock } from '@weir/clock';
import { succeeded } from '../../http/envelope.ts';
import * as examples from '../../http/examples.ts';
import * as answers from '../../http/schemas/answers.ts';
import { paidAddress, paidTrace } from '../../http/schemas/requests.ts';
import { addressReader } from '../standard/analyses.ts';
import { readTrace, traceDescription } from '../standard/trace.ts';
import { targetRefusals } from '../standard/scores.ts';
import { type PaidOperation, type PaidParts, paidOperation } from './paid-operation.ts';

const request = examples.addressRequest;
const { succeededWith } = answers;

export function addressLabelsOperation({ store, clock }: PaidParts): PaidOperation {
  return paidOperation({
    ...ofAnAddress(clock),
    price: 'address_labels',
    summary: 'Labels of an address.',
    answer: succeededWith(answers.labels),
    example: { request, answer: examples.labelsExample },
    run: async (subject) => ({ body: succeeded(await addressLabels(store, subject)) }),
  });
}

export function addressOverviewOperation({ db, clock }: PaidParts): PaidOperation {
  return paidOperation({
    ...ofAnAddress(clock),
    price: 'address_overview',
    summary: 'Balance and statistics of an address.',
    description: 'Amounts are in the native coin of the chain, as far as transfers are known.',
    answer: succeededWith(answers.overview),
    example: { request, answer: examples.overviewExample },
    run: async (subject) => ({ body: succeeded(await addressOverview(db, subject)) }),
  });
}

export function addressActionOperation({ store, clock }: PaidParts): PaidOperation {
  return paidOperation({
    ...ofAnAddress(clock),
    price: 'address_action',
    summary: 'What an address received from and spent on, by kind of counterparty.',
    answer: succeededWith(answers.addressActions),
    example: { request, answer: examples.actionsExample },
    run: async (subject) => ({ body: succeeded(await addressActions(store, subject)) }),
  });
}

export function addressTraceOperation(parts: PaidParts): PaidOperation {
  return paidOperation({
    ...traceDescription(parts),
    price: 'address_trace',
    request: paidTrace,
    run: async (asked, { signal }) => ({ body: await readTrace(parts, asked, signal) }),
  });
}

export function addressCounterpartyOperation({ store, clock }: PaidParts): PaidOperation {
  return paidOperation({
    ...ofAnAddress(clock),
    price: 'address_counterparty',
    summary: 'Whom an address dealt with, by entity.',
    description: 'The list is beside success and msg, not in data.',
    answer: answers.counterparties,
    example: { request, answer: examples.counterpartiesExample },
    run: async (subject) => ({
      body: { success: true, msg: '', address_counterparty_list: await addressCounterparties(store, subject) } as const,
    }),
  });
}

/** The members that every call about one address has. */
function ofAnAddress(clock: Clock) {
  return { method: 'GET', request: paidAddress, refusals: targetRefusals, read: addressReader(clock) } as const;
}
