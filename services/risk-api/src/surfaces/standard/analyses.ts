import {
  addressActions,
  addressCounterparties,
  addressLabels,
  addressOverview,
  type AddressSubject,
  investigate,
  type PageQuery,
} from '@weir/chain-store';
import type { Clock } from '@weir/clock';
import type { Queryable } from '@weir/postgres';
import type { RiskStore } from '@weir/risk-engine';
import type { z } from 'zod';
import { Failure } from '../../failure.ts';
import { succeeded } from '../../http/envelope.ts';
import {
  actionsExample,
  addressRequest,
  counterpartiesExample,
  investigationExample,
  labelsExample,
  overviewExample,
} from '../../http/examples.ts';
import { type Operation, operation } from '../../http/operation.ts';
import { addressOn, coinOf } from '../../http/parameters.ts';
import { counterparties, investigation, labels, overview, standardActions, succeededWith } from '../../http/schemas/answers.ts';
import { addressQuery, counterpartyQuery, investigationQuery } from '../../http/schemas/requests.ts';
import { addition, targetRefusals } from './scores.ts';

export interface AnalysisParts {
  readonly db: Queryable;
  readonly store: RiskStore;
  readonly clock: Clock;
}

export function analysisOperations(parts: AnalysisParts): Operation[] {
  return [
    labelsOperation(parts),
    counterpartyOperation(parts),
    actionOperation(parts),
    overviewOperation(parts),
    investigationOperation(parts),
  ];
}

function labelsOperation({ store, clock }: AnalysisParts): Operation {
  return operation({
    name: 'v1_address_labels',
    surface: 'standard',
    method: 'GET',
    path: '/v1/address_labels',
    summary: 'Labels of an address.',
    counted: true,
    request: addressQuery,
    answer: succeededWith(labels),
    example: { request: addressRequest, answer: labelsExample },
    refusals: targetRefusals,
    read: addressReader(clock),
    run: async (subject) => succeeded(await addressLabels(store, subject)),
  });
}

function counterpartyOperation({ store, clock }: AnalysisParts): Operation {
  return operation({
    name: 'v1_address_counterparty',
    surface: 'standard',
    method: 'GET',
    path: '/v1/address_counterparty',
    summary: 'Whom an address dealt with, by entity.',
    description:
      'Over all coins of the chain, both directions together; amounts are in USD. The list is beside success and msg, not in data.',
    counted: true,
    request: counterpartyQuery,
    answer: counterparties,
    example: { request: addressRequest, answer: counterpartiesExample },
    refusals: targetRefusals,
    read: addressReader(clock),
    run: async (subject) => ({ success: true, msg: '', address_counterparty_list: await addressCounterparties(store, subject) }) as const,
  });
}

function actionOperation({ store, clock }: AnalysisParts): Operation {
  return operation({
    name: 'v1_address_action',
    surface: 'standard',
    method: 'GET',
    path: '/v1/address_action',
    summary: 'What an address received from and spent on, by kind of counterparty.',
    description: 'Over all coins of the chain. Counterparties without a label are a Transfer.',
    counted: true,
    request: addressQuery,
    answer: standardActions,
    example: { request: addressRequest, answer: { ...actionsExample, action_dic: actionsExample.data } },
    refusals: targetRefusals,
    read: addressReader(clock),
    run: async (subject) => {
      const actions = await addressActions(store, subject);
      return { ...succeeded(actions), action_dic: actions };
    },
  });
}

function overviewOperation({ db, clock }: AnalysisParts): Operation {
  return operation({
    name: 'v1_address_overview',
    surface: 'standard',
    method: 'GET',
    path: '/v1/address_overview',
    summary: 'Balance and statistics of an address.',
    description: `${addition} Amounts are in the native coin of the chain, as far as transfers are known.`,
    counted: true,
    request: addressQuery,
    answer: succeededWith(overview),
    example: { request: addressRequest, answer: overviewExample },
    refusals: targetRefusals,
    read: addressReader(clock),
    run: async (subject) => succeeded(await addressOverview(db, subject)),
  });
}

function investigationOperation({ db, store, clock }: AnalysisParts): Operation {
  return operation({
    name: 'v1_transactions_investigation',
    surface: 'standard',
    method: 'GET',
    path: '/v1/transactions_investigation',
    summary: "An address's transfers in one coin, grouped by counterparty.",
    description: 'Newest first. Counterparties are grouped within the page, so one may come again on the next.',
    counted: true,
    request: investigationQuery,
    answer: succeededWith(investigation),
    example: { request: { ...addressRequest, type: 'all', page: 1 }, answer: investigationExample },
    refusals: targetRefusals,
    read: (request) => pageQuery(request, clock.now()),
    run: async (query) => succeeded(await investigate(db, store, query)),
  });
}

export function addressReader(clock: Clock): (request: { coin: string; address: string }) => AddressSubject {
  return ({ coin, address }) => {
    const { chain } = coinOf(coin);
    return { chain, address: addressOn(chain, address), atMs: clock.now() };
  };
}

/** The end of a second is inclusive. */
const restOfSecondMs = 999;

/** Fails with `InvalidParameter`, and like any target's parameters. */
export function pageQuery(request: z.output<typeof investigationQuery>, now: number): PageQuery & { atMs: number } {
  const { coin, start_timestamp: start, end_timestamp: end, type, page } = request;
  if (end !== undefined && start > end) throw new Failure('InvalidParameter');
  const { chain, symbol } = coinOf(coin);
  const to = end === undefined ? new Date(now) : new Date(end * 1_000 + restOfSecondMs);
  return { chain, address: addressOn(chain, request.address), coin: symbol, from: new Date(start * 1_000), to, type, page, atMs: now };
}
