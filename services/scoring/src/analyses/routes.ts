import { type Chain, chains, nativeCoin, parseAddress, readCoin } from '@weir/chains';
import type { Clock } from '@weir/clock';
import { meaningOf, type QueryAnswer, type Refusal, type RiskClient } from '@weir/risk-client';
import type { RiskProvider } from '@weir/risk-provider';
import { admission, type Callers, type Operation, operation, problem, type Problems, readers } from '@weir/service-kit';
import type { Context } from 'hono';
import { z } from 'zod';
import type { PacedCalls } from './paced-calls.ts';
import { partiesOf, profileOf, scoreOf, traceOf } from './read.ts';
import {
  addressTraceView,
  analysableView,
  analysedScoreView,
  exampleChain,
  exampleParties,
  exampleProfile,
  exampleScore,
  exampleTrace,
  partiesView,
  profileView,
} from './view.ts';

export interface AnalysisOptions {
  readonly access: Callers;
  readonly clock: Clock;
  readonly provider: RiskProvider;
  /** Undefined where the provider's API has no analyses. */
  readonly explorer: RiskClient | undefined;
  readonly calls: PacedCalls;
  /** A result computed longer ago is rejected as stale. */
  readonly maxAnswerAgeMs: number;
}

const tag = 'analyses';
const longestAddress = 200;
const mostPages = 1_000_000;

const chain = z.enum(chains as unknown as readonly [Chain, ...Chain[]]);
const ofAddress = z.object({
  chain: chain.meta({ description: 'Of the address.', example: exampleChain.chain }),
  address: z.string().max(longestAddress).meta({ description: 'In any form of its chain.', example: exampleParties.items[0]?.address }),
});
const ofCoin = {
  coin: z.string().max(100).optional().meta({ description: "Of the chain; left out: the chain's native coin.", example: 'USDT-ERC20' }),
};
const isCoinOfChain = ({ coin, chain: own }: { coin?: string | undefined; chain: Chain }): boolean =>
  coin === undefined || readCoin(coin, own)?.chain === own;
const notOfChain = { path: ['coin'], error: 'is no coin of this chain' };
const symbolOf = (coin: string | undefined, own: Chain): string =>
  (coin === undefined ? nativeCoin(own) : (readCoin(coin, own) ?? nativeCoin(own))).symbol;
const isOnChain = (of: { chain: Chain; address: string }): boolean => parseAddress(of.chain, of.address) !== undefined;
const notOnChain = { path: ['address'], error: 'is no address of this chain' };

const unanswered: Problems = {
  NOT_OFFERED: [404, 'The API of the provider has no such answer.'],
  NOT_KNOWN: [422, 'The provider does not know the chain, the coin or the address.'],
  BUDGET_EXHAUSTED: [429, 'The rate budget for questions of people is used up, or many are waiting.'],
  PROVIDER_REFUSED: [502, 'The provider refuses the key, or cannot be understood.'],
  PROVIDER_AWAY: [503, 'The provider does not answer.'],
};

/**
 * What the provider says about any address, for people who ask. Each question is within the rate budget, takes nothing of what the day keeps
 * for deposits and withdrawals, and decides nothing.
 */
export function analysisOperations(options: AnalysisOptions): readonly Operation[] {
  return [chainsOperation(options), ...scoreOperations(options), ...explorerOperations(options)];
}

function chainsOperation({ access }: AnalysisOptions): Operation {
  return operation({
    name: 'list_chains_of_address',
    method: 'GET',
    path: '/v1/analyses/chains',
    tag,
    summary: 'Lists the chains on which an address can be. Asks nobody.',
    admission: admission(access, readers),
    query: z.object({ address: ofAddress.shape.address }),
    answers: [
      {
        status: 200,
        description: 'None: it is no address.',
        schema: z.strictObject({ items: z.array(analysableView) }),
        example: { items: [exampleChain] },
      },
    ],
    respond: (c, { query }) => {
      const found = chains.filter(
        (each) => parseAddress(each, query.address) !== undefined && (each !== 'near' || isNearAccount(query.address)),
      );
      return c.json({ items: found.map((each) => ({ chain: each, coin: nativeCoin(each).symbol })) });
    },
  });
}

/** Any word may name an account of NEAR. Those of people end with a registry's name, implicit ones are 64 hex digits. */
function isNearAccount(text: string): boolean {
  return /\.(near|tg)$/.test(text) || /^[0-9a-f]{64}$/.test(text);
}

function scoreOperations(options: AnalysisOptions): readonly Operation[] {
  const { access, provider, calls } = options;
  const answers = [
    { status: 200, description: 'The result, or the task that computes it.', schema: analysedScoreView, example: exampleScore },
  ];
  const ask = operation({
    name: 'score_address',
    method: 'POST',
    path: '/v1/analyses/scores',
    tag,
    summary: 'Asks the provider for the score of an address, computed anew.',
    description: 'A running task is read with `GET /v1/analyses/scores/{task_id}` every second or so.',
    admission: admission(access, readers),
    body: {
      schema: z.strictObject(ofAddress.shape).refine(isOnChain, notOnChain),
      what: 'an address and its chain',
      example: { chain: exampleChain.chain, address: exampleParties.items[0]?.address },
    },
    answers,
    problems: unanswered,
    repeats: 'Asks the provider again.',
    respond: async (c, { body }) => {
      const question = {
        chain: body.chain,
        coin: nativeCoin(body.chain).symbol,
        subject_type: 'address',
        subject: body.address,
        direction: 'deposit',
      } as const;
      // Such a provider assesses transfers, not addresses.
      if (provider.needs(question).length > 0) return notOffered(c);
      const answer = await calls.run(() => provider.ask({ ...question, facts: {} }));
      if (answer.kind !== 'created') return answerOf(c, options, answer, '');
      const { task_id: id, has_result: isDone } = answer;
      return answerOf(c, options, isDone ? await provider.follow(id) : { kind: 'running' }, id);
    },
  });
  const read = operation({
    name: 'read_score_of_address',
    method: 'GET',
    path: '/v1/analyses/scores/{task_id}',
    isPolled: true,
    tag,
    summary: 'Reads the score that a task computes. Costs no budget.',
    admission: admission(access, readers),
    segments: z.object({ task_id: z.string().meta({ description: 'Of an earlier answer.', example: 'task-1' }) }),
    answers,
    problems: { ...unanswered, NOT_FOUND: [404, 'The provider has no such task.'] },
    respond: async (c) => {
      const id = c.req.param('task_id') ?? '';
      return answerOf(c, options, await provider.follow(id), id);
    },
  });
  return [ask, read];
}

function explorerOperations(options: AnalysisOptions): readonly Operation[] {
  const { access, explorer, calls } = options;
  const profile = operation({
    name: 'profile_address',
    method: 'GET',
    path: '/v1/analyses/profile',
    tag,
    summary: 'Reads labels, balance, counterparties and actions of an address. Four questions to the provider.',
    description:
      'A part is null where the provider did not answer its question. Without labels, counterparties and actions it is no success.',
    admission: admission(access, readers),
    query: ofAddress.refine(isOnChain, notOnChain),
    answers: [{ status: 200, description: 'The profile.', schema: profileView, example: exampleProfile }],
    problems: unanswered,
    respond: async (c, { query: { chain: own, address } }) => {
      if (explorer === undefined) return notOffered(c);
      const of = { coin: nativeCoin(own).symbol, address };
      const [labels, overview, counterparties, actions] = await Promise.all([
        calls.run(() => explorer.addressLabels(of)),
        calls.run(() => explorer.addressOverview(of)),
        calls.run(() => explorer.addressCounterparty(of)),
        calls.run(() => explorer.addressAction(of)),
      ]);
      const parts = {
        labels: labels.kind === 'labels' ? labels : null,
        counterparties: counterparties.kind === 'counterparties' ? counterparties : null,
        actions: actions.kind === 'actions' ? actions : null,
        // Not part of every API of the specification.
        overview: overview.kind === 'overview' ? overview.overview : null,
      };
      // What one question brought is not lost because another was refused.
      if (parts.labels === null && parts.counterparties === null && parts.actions === null && labels.kind !== 'labels')
        return refused(c, labels);
      return fresh(c, profileOf(parts));
    },
  });
  const transfers = operation({
    name: 'list_transfers_of_address',
    method: 'GET',
    path: '/v1/analyses/transfers',
    tag,
    summary: 'Lists who paid an address and whom it paid, in one coin, with the transactions.',
    admission: admission(access, readers),
    query: ofAddress
      .extend({
        ...ofCoin,
        side: z.enum(['in', 'out', 'all']).default('all').meta({ description: 'in: it received the money.' }),
        page: z.coerce.number().int().min(1).max(mostPages).default(1).meta({ description: 'From 1.' }),
      })
      .refine(isOnChain, notOnChain)
      .refine(isCoinOfChain, notOfChain),
    answers: [{ status: 200, description: 'One page.', schema: partiesView, example: exampleParties }],
    problems: unanswered,
    respond: async (c, { query: { chain: own, coin, address, side, page } }) => {
      if (explorer === undefined) return notOffered(c);
      const answer = await calls.run(() => explorer.transactionsInvestigation({ coin: symbolOf(coin, own), address, type: side, page }));
      return answer.kind === 'transfers' ? fresh(c, partiesOf(answer)) : refused(c, answer);
    },
  });
  const trace = operation({
    name: 'trace_address',
    method: 'GET',
    path: '/v1/analyses/trace',
    tag,
    summary: 'Traces where the money of an address went, or where it came from, in one coin.',
    description: 'It may take half a minute.',
    admission: admission(access, readers),
    query: ofAddress
      .extend({
        ...ofCoin,
        direction: z.enum(['forward', 'backward']).default('forward').meta({ description: 'backward: where it came from.' }),
      })
      .refine(isOnChain, notOnChain)
      .refine(isCoinOfChain, notOfChain),
    answers: [{ status: 200, description: 'The trace.', schema: addressTraceView, example: exampleTrace }],
    problems: unanswered,
    respond: async (c, { query: { chain: own, coin, address, direction } }) => {
      if (explorer === undefined) return notOffered(c);
      const answer = await calls.run(() => explorer.addressTrace({ coin: symbolOf(coin, own), address, direction, method: 'haircut' }));
      if (answer.kind !== 'trace') return refused(c, answer);
      return answer.trace.trace === null ? notOffered(c) : fresh(c, traceOf(answer.trace.trace));
    },
  });
  const report = operation({
    name: 'report_address',
    method: 'GET',
    path: '/v1/analyses/report',
    tag,
    summary: 'A PDF about an address, made by the provider from its score.',
    description: 'It may take half a minute.',
    admission: admission(access, readers),
    query: ofAddress.refine(isOnChain, notOnChain),
    answers: [
      {
        status: 200,
        description: 'The report.',
        type: 'application/pdf',
        schema: z.string().meta({ format: 'binary' }),
        example: '%PDF-1.3',
      },
    ],
    problems: unanswered,
    respond: async (c, { query: { chain: own, address } }) => {
      if (explorer === undefined) return notOffered(c);
      const answer = await calls.run(() => explorer.riskReport({ coin: nativeCoin(own).symbol, address }));
      if (answer.kind !== 'report') return refused(c, answer);
      c.header('cache-control', 'private, no-store');
      c.header('x-content-type-options', 'nosniff');
      return c.body(new Uint8Array(answer.pdf), 200, {
        'content-type': 'application/pdf',
        'content-disposition': `inline; filename*=UTF-8''weir-${encodeURIComponent(address)}.pdf`,
      });
    },
  });
  return [profile, transfers, trace, report];
}

function answerOf(c: Context, { provider, clock, maxAnswerAgeMs }: AnalysisOptions, answer: QueryAnswer, taskId: string): Response {
  if (answer.kind === 'running') return fresh(c, { state: 'running', task_id: taskId });
  if (answer.kind === 'not_found') return problem(c, 404, 'NOT_FOUND', 'the provider has no such task');
  if (answer.kind !== 'scored' && answer.kind !== 'no_data') return refused(c, answer);
  const meaning = meaningOf(answer, { now: clock.now(), maxAgeMs: maxAnswerAgeMs });
  if (meaning.kind !== 'final' || !('result' in meaning)) return problem(c, 502, 'PROVIDER_REFUSED', 'the result of the provider is stale');
  return fresh(c, scoreOf(meaning, provider.name));
}

function fresh(c: Context, body: object): Response {
  c.header('cache-control', 'no-store');
  return c.json(body);
}

function notOffered(c: Context): Response {
  return problem(c, 404, 'NOT_OFFERED', 'the API of the provider has no such answer');
}

function refused(c: Context, refusal: Refusal): Response {
  switch (refusal.kind) {
    case 'limited': {
      const seconds = Math.max(Math.ceil(refusal.retryAfterMs / 1_000), 1);
      c.header('retry-after', String(seconds));
      return problem(c, 429, 'BUDGET_EXHAUSTED', `no question can be asked within the rate budget for ${seconds} s`);
    }
    case 'unsupported':
    case 'invalid':
      return problem(c, 422, 'NOT_KNOWN', `the provider says ${refusal.code}`);
    case 'rejected':
      return refusal.status === 404 ? notOffered(c) : problem(c, 502, 'PROVIDER_REFUSED', `the provider says ${refusal.code}`);
    case 'unavailable':
      return refusal.reason === 'UNREADABLE'
        ? problem(c, 502, 'PROVIDER_REFUSED', `the provider cannot be understood: ${refusal.detail}`)
        : problem(c, 503, 'PROVIDER_AWAY', `the provider does not answer: ${refusal.detail}`);
  }
}
