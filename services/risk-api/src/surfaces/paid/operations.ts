import {
  addressActions,
  addressCounterparties,
  addressLabels,
  addressOverview,
  type AddressSubject,
  addressTrace,
  investigate,
} from '@weir/chain-store';
import type { Clock } from '@weir/clock';
import type { Queryable } from '@weir/postgres';
import type { RiskStore } from '@weir/risk-engine';
import { Failure } from '../../failure.ts';
import { succeeded } from '../../http/envelope.ts';
import * as examples from '../../http/examples.ts';
import { addressOn, chainOf, subjectOf } from '../../http/parameters.ts';
import type { ReportUrl } from '../../reports/query.ts';
import { scoreV2Data } from '../../http/result.ts';
import * as answers from '../../http/schemas/answers.ts';
import { paidAddress, paidInvestigation, paidTarget, paidTask } from '../../http/schemas/requests.ts';
import { pageQuery } from '../standard/analyses.ts';
import { reportOf, targetRefusals } from '../standard/scores.ts';
import type { Tasks } from '../../runs/tasks.ts';
import { type PaidOperation, paidOperation } from './paid-operation.ts';

export interface PaidParts {
  readonly db: Queryable;
  readonly store: RiskStore;
  readonly clock: Clock;
  readonly tasks: Tasks;
  readonly reportUrl: ReportUrl;
}

/** The eight paid calls. Each answers as its counterpart on the standard API. */
export function paidOperations({ db, store, clock, tasks, reportUrl }: PaidParts): PaidOperation[] {
  const { succeededWith } = answers;
  const read = ({ coin, address }: { coin: string; address: string }): AddressSubject => {
    const chain = chainOf(coin);
    return { chain, address: addressOn(chain, address), atMs: clock.now() };
  };
  const ofAnAddress = { method: 'GET', request: paidAddress, refusals: targetRefusals, read } as const;
  const request = examples.addressRequest;
  // A transaction takes precedence over an address: paid calls never reject the pair.
  const target = (asked: { coin: string; address?: string | undefined; txid?: string | undefined }) =>
    subjectOf({ coin: asked.coin, ...(asked.txid === undefined ? { address: asked.address } : { txid: asked.txid }) });
  return [
    paidOperation({
      ...ofAnAddress,
      price: 'address_labels',
      summary: 'Labels of an address.',
      answer: succeededWith(answers.labels),
      example: { request, answer: examples.labelsExample },
      run: async (subject) => ({ body: succeeded(await addressLabels(store, subject)) }),
    }),
    paidOperation({
      ...ofAnAddress,
      price: 'address_overview',
      summary: 'Balance and statistics of an address.',
      description: 'Amounts are in the native coin of the chain, as far as transfers are known.',
      answer: succeededWith(answers.overview),
      example: { request, answer: examples.overviewExample },
      run: async (subject) => ({ body: succeeded(await addressOverview(db, subject)) }),
    }),
    paidOperation({
      method: 'GET',
      price: 'risk_score',
      summary: 'Risk score of an address or a transaction with its exposures and a report.',
      description:
        'Of address and txid one is needed; with both the transaction is scored. A score that does not come in time is ServiceUnavailable and not charged.',
      request: paidTarget,
      answer: succeededWith(answers.scoreV2),
      example: { request, answer: examples.scoreV2Example },
      refusals: targetRefusals,
      read: (asked) => ({ coin: asked.coin, subject: target(asked) }),
      run: async ({ coin, subject }, { signal, origin }) => {
        const score = await tasks.score(subject, signal);
        if (score === undefined) throw new Failure('ServiceUnavailable');
        return { body: succeeded(scoreV2Data(score.result, await reportOf(reportUrl, subject, coin, score.scannedAt, origin))) };
      },
    }),
    paidOperation({
      method: 'POST',
      price: 'risk_score_create_task',
      summary: 'Starts the risk score of an address or a transaction.',
      description:
        'It starts when the payment is settled. The header Location has an address that nobody can guess, at which the result is polled free of charge. A txid beside the address is what is scored.',
      request: paidTask,
      answer: succeededWith(answers.createdV2),
      example: { request, answer: examples.createdV2Example },
      refusals: targetRefusals,
      read: target,
      run: async (subject) => {
        const { hasResult, scannedTs } = await tasks.known(subject);
        return { body: succeeded({ has_result: hasResult, scanned_ts: scannedTs }), task: subject };
      },
    }),
    paidOperation({
      method: 'GET',
      price: 'transactions_investigation',
      summary: "An address's transfers in one coin, grouped by counterparty.",
      description: 'Newest first. The parameters of the standard call are taken here too, to turn pages; each page is a call.',
      request: paidInvestigation,
      answer: succeededWith(answers.investigation),
      example: { request, answer: examples.investigationExample },
      refusals: targetRefusals,
      read: (asked) => pageQuery(asked, clock.now()),
      run: async (query) => ({ body: succeeded(await investigate(db, store, query)) }),
    }),
    paidOperation({
      ...ofAnAddress,
      price: 'address_action',
      summary: 'What an address received from and spent on, by kind of counterparty.',
      answer: succeededWith(answers.addressActions),
      example: { request, answer: examples.actionsExample },
      run: async (subject) => ({ body: succeeded(await addressActions(store, subject)) }),
    }),
    paidOperation({
      ...ofAnAddress,
      price: 'address_trace',
      summary: 'Profile of an address: who funded it, platforms it used, incidents it had to do with, names.',
      answer: succeededWith(answers.trace),
      example: { request, answer: examples.traceExample },
      run: async (subject) => ({ body: succeeded(await addressTrace(db, store, subject)) }),
    }),
    paidOperation({
      ...ofAnAddress,
      price: 'address_counterparty',
      summary: 'Whom an address dealt with, by entity.',
      description: 'The list is beside success and msg, not in data.',
      answer: answers.counterparties,
      example: { request, answer: examples.counterpartiesExample },
      run: async (subject) => ({
        body: { success: true, msg: '', address_counterparty_list: await addressCounterparties(store, subject) } as const,
      }),
    }),
  ];
}
