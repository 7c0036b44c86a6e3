import { latestLabelChanges, listLabelRequests, readChainAges } from '@weir/chain-store';
import { addressForms, chains, parseAddress } from '@weir/chains';
import type { Clock } from '@weir/clock';
import type { Pool } from '@weir/postgres';
import { categoryNames } from '@weir/risk-engine';
import {
  admission,
  type Callers,
  type Operation,
  operation,
  personOf,
  problem,
  readers,
  exportOperation,
  exportRows,
  mostExported,
} from '@weir/service-kit';
import type { Context } from 'hono';
import { z } from 'zod';
import { maxLimit, pageParameters, time, uuid } from '../parameters.ts';
import { keepers } from '../reviews/api.ts';
import { name, text } from '../texts.ts';
import { exampleFreshness, exampleLabel, exampleLabelChange, exampleLabelRequest, exampleSources } from './examples.ts';
import { findLabels, hasLabels, LabelOverview } from './query.ts';
import { AnswerRefused, answerChange, requestChange } from './store.ts';
import {
  chainFreshnessView,
  changeOf,
  freshnessOf,
  labelChangeView,
  labelRequestView,
  labelSourcesView,
  labelView,
  requestOf,
} from './view.ts';

export interface LabelApiOptions {
  readonly db: Pool;
  readonly access: Callers;
  readonly clock: Clock;
}

const tag = 'labels';
const mostShown = 100;
const longestAddress = 200;
const elsewhere = { NO_LABELS: [404, 'The risk service has a database of its own, with its labels.'] } as const;
const segments = z.object({ request_id: z.string().meta({ description: 'UUID.', example: exampleLabelRequest.request_id }) });

const address = z
  .string()
  .trim()
  .max(longestAddress)
  .refine((value) => addressForms(value).length > 0, 'is no address of a chain that Weir knows');
const filtered = {
  address: address.optional().meta({ description: 'On whatever chain.', example: exampleLabel.address }),
  source: z
    .string()
    .max(200)
    // PostgreSQL rejects NUL.
    .refine((value) => !value.includes('\0'), 'must be the name of a source')
    .optional()
    .meta({ description: 'The name of a source.', example: exampleLabel.source }),
};
type Filter = z.output<z.ZodObject<typeof filtered>>;
const isAsked = (query: Filter): boolean => query.address !== undefined || query.source !== undefined;
const notAsked = { path: ['address'], error: 'or source must be given' };
const chain = z.enum(chains as unknown as readonly [string, ...string[]]);
const category = z.enum(categoryNames as unknown as readonly [string, ...string[]]);

const requestBody = z.discriminatedUnion('action', [
  z
    .strictObject({ action: z.literal('add'), chain, address, name, category, source: name, reason: text })
    .refine((body) => parseAddress(body.chain as (typeof chains)[number], body.address) !== undefined, {
      path: ['address'],
      error: 'is no address of this chain',
    }),
  z.strictObject({
    action: z.literal('end'),
    address,
    source: name,
    category: category.optional(),
    ended_at: time.optional(),
    reason: text,
  }),
  z.strictObject({ action: z.literal('withdraw'), source: name, reason: text }),
]);

/** Labels of this database: reading, and changes that two people make. */
export function labelOperations(options: LabelApiOptions): readonly Operation[] {
  return [...readOperations(options), ...requestOperations(options)];
}

function readOperations({ db, access, clock }: LabelApiOptions): readonly Operation[] {
  const overview = new LabelOverview(db, clock);
  const list = operation({
    name: 'list_labels',
    method: 'GET',
    path: '/v1/labels',
    tag,
    summary: 'Lists labels of an address or of a source.',
    admission: admission(access, readers),
    query: z.object({ ...filtered, limit: pageParameters.limit }).refine(isAsked, notAsked),
    answers: [
      {
        status: 200,
        description: 'By chain and address.',
        schema: z.strictObject({ items: z.array(labelView) }),
        example: { items: [exampleLabel] },
      },
    ],
    problems: elsewhere,
    respond: async (c, { query }) => {
      if (!(await hasLabels(db))) return noLabels(c);
      c.header('cache-control', 'no-store');
      return c.json({ items: await findLabels(db, scopeOf(query), Math.min(query.limit, maxLimit)) });
    },
  });
  const asCsv = exportOperation({
    list: 'labels',
    what: 'labels of an address or of a source',
    tag,
    admission: admission(access, readers),
    query: z.object(filtered).refine(isAsked, notAsked),
    example: 'chain,address',
    problems: elsewhere,
    read: async (c, query) => {
      if (!(await hasLabels(db))) return noLabels(c);
      return exportRows(Object.keys(labelView.shape), await findLabels(db, scopeOf(query), mostExported + 1));
    },
  });
  const sources = operation({
    name: 'list_label_sources',
    method: 'GET',
    path: '/v1/label-sources',
    tag,
    summary: 'Lists sources of labels, published lists, and addresses whose labels contradict each other.',
    admission: admission(access, readers),
    answers: [{ status: 200, description: 'The largest source first.', schema: labelSourcesView, example: exampleSources }],
    problems: elsewhere,
    respond: async (c) => {
      if (!(await hasLabels(db))) return noLabels(c);
      c.header('cache-control', 'no-store');
      return c.json(await overview.read());
    },
  });
  const changes = operation({
    name: 'list_label_changes',
    method: 'GET',
    path: '/v1/label-changes',
    tag,
    summary: `Lists the newest ${mostShown} changes of labels.`,
    admission: admission(access, readers),
    answers: [
      {
        status: 200,
        description: 'Newest first.',
        schema: z.strictObject({ items: z.array(labelChangeView) }),
        example: { items: [exampleLabelChange] },
      },
    ],
    problems: elsewhere,
    respond: async (c) => {
      if (!(await hasLabels(db))) return noLabels(c);
      c.header('cache-control', 'no-store');
      return c.json({ items: (await latestLabelChanges(db, mostShown)).map(changeOf) });
    },
  });
  const changesAsCsv = exportOperation({
    list: 'label-changes',
    what: 'changes of labels, newest first',
    tag,
    admission: admission(access, readers),
    query: z.object({}),
    example: 'change_id,action',
    problems: elsewhere,
    read: async (c) => {
      if (!(await hasLabels(db))) return noLabels(c);
      return exportRows(Object.keys(labelChangeView.shape), (await latestLabelChanges(db, mostExported + 1)).map(changeOf));
    },
  });
  const freshness = operation({
    name: 'list_chain_freshness',
    method: 'GET',
    path: '/v1/chain-freshness',
    tag,
    summary: 'Lists how old the labels and transfers of each chain are, and how far a followed chain is behind its nodes.',
    admission: admission(access, readers),
    answers: [
      {
        status: 200,
        description: 'By chain.',
        schema: z.strictObject({ items: z.array(chainFreshnessView) }),
        example: { items: [exampleFreshness] },
      },
    ],
    problems: elsewhere,
    respond: async (c) => {
      if (!(await hasLabels(db))) return noLabels(c);
      c.header('cache-control', 'no-store');
      return c.json({ items: (await readChainAges(db)).map(freshnessOf) });
    },
  });
  return [list, asCsv, sources, changes, changesAsCsv, freshness];
}

function scopeOf({ address: given, source }: Filter): Parameters<typeof findLabels>[1] {
  return { addresses: given === undefined ? undefined : addressForms(given), source };
}

function requestOperations({ db, access, clock }: LabelApiOptions): readonly Operation[] {
  const list = operation({
    name: 'list_label_requests',
    method: 'GET',
    path: '/v1/label-requests',
    tag,
    summary: `Lists the newest ${mostShown} changes that people asked for.`,
    admission: admission(access, readers),
    answers: [
      {
        status: 200,
        description: 'Newest first.',
        schema: z.strictObject({ items: z.array(labelRequestView) }),
        example: { items: [exampleLabelRequest] },
      },
    ],
    problems: elsewhere,
    respond: async (c) => {
      if (!(await hasLabels(db))) return noLabels(c);
      c.header('cache-control', 'no-store');
      return c.json({ items: (await listLabelRequests(db, mostShown)).map(requestOf) });
    },
  });
  const request = operation({
    name: 'request_label_change',
    method: 'POST',
    path: '/v1/label-requests',
    tag,
    summary: 'Asks for a label to be added or ended, or for the labels of a source to be withdrawn.',
    description: 'Nothing changes before another person approves it. `weir start` or `weir labels sync --watch` then applies it.',
    admission: admission(access, keepers),
    body: {
      schema: requestBody,
      what: 'a change of labels',
      example: { action: 'end', address: exampleLabel.address, source: exampleLabel.source, reason: exampleLabelRequest.reason },
    },
    answers: [{ status: 201, description: 'Stored. It waits for another person.', schema: labelRequestView, example: exampleLabelRequest }],
    problems: elsewhere,
    repeats: 'Stores another request.',
    respond: async (c, { body: { action, reason, ...asked } }) => {
      if (!(await hasLabels(db))) return noLabels(c);
      const { ended_at: at, ...scope } = 'ended_at' in asked ? asked : { ...asked, ended_at: undefined };
      const stored = { ...scope, ...(at === undefined ? {} : { at: at.toISOString() }) };
      return c.json(requestOf(await requestChange({ db, clock }, { action, scope: stored, reason }, personOf(c.get('caller')))), 201);
    },
  });
  const answer = operation({
    name: 'answer_label_request',
    method: 'POST',
    path: '/v1/label-requests/{request_id}/answers',
    tag,
    summary: "Approves or rejects another person's change of labels, or takes back an own one.",
    description: 'An approver who is another person answers. The person who requested it may take it back: `approve: false`.',
    admission: admission(access, keepers),
    segments,
    body: { schema: z.strictObject({ approve: z.boolean() }), what: 'an answer', example: { approve: true } },
    answers: [
      {
        status: 200,
        description: 'Answered. An approved change is applied within seconds.',
        schema: labelRequestView,
        example: {
          ...exampleLabelRequest,
          state: 'approved',
          answered_by: 'Ben',
          answered_at: '2026-01-31T09:12:20.000Z',
        },
      },
    ],
    problems: {
      SAME_PERSON: [403, 'Who requested it cannot approve it.'],
      NOT_FOUND: [404, 'There is no request with this id.'],
      ...elsewhere,
      ANSWERED: [409, 'It was answered before.'],
    },
    repeats: '409 `ANSWERED`.',
    respond: async (c, { body }) => {
      if (!(await hasLabels(db))) return noLabels(c);
      const id = uuid.safeParse(c.req.param('request_id'));
      if (!id.success) return problem(c, 404, 'NOT_FOUND', 'there is no request with this id');
      try {
        const caller = c.get('caller');
        const by = { ...personOf(caller), isApprover: caller.role === 'approver' };
        return c.json(requestOf(await answerChange({ db, clock }, id.data, body.approve, by)));
      } catch (error) {
        if (!(error instanceof AnswerRefused)) throw error;
        const { code, message } = error;
        return problem(c, code === 'NOT_FOUND' ? 404 : code === 'ANSWERED' ? 409 : 403, code, message);
      }
    },
  });
  return [list, request, answer];
}

function noLabels(c: Context): Response {
  return problem(c, 404, 'NO_LABELS', 'this database has no labels: the risk service is elsewhere');
}
