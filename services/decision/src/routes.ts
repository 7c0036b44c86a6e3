import type { Clock } from '@weir/clock';
import { diffPolicies, limitsOf, type Policy, PolicyError, parsePolicy, rulesInWords, windowWords } from '@weir/policy';
import type { Pool } from '@weir/postgres';
import {
  type Callers,
  admission,
  exportOperation,
  exportRows,
  mostExported,
  type Operation,
  operation,
  problem,
  readers,
} from '@weir/service-kit';
import { z } from 'zod';
import { backtest } from './backtest.ts';
import {
  approvePolicy,
  keptPolicy,
  type PolicyChangeRow,
  policyChanges,
  policyInForce,
  type PolicyProposal,
  ProposalRefused,
  proposePolicy,
  type RejectedProposal,
  rejectedProposals,
  rejectPolicy,
  waitingProposal,
} from './policies.ts';
import { countDisagreements, type Disagreement, listDisagreements } from './disagreements.ts';
import {
  exampleChange,
  exampleDifference,
  exampleDisagreements,
  examplePolicy,
  exampleProposal,
  exampleRejection,
  exampleVelocity,
} from './policy-examples.ts';
import {
  backtestView,
  type DisagreementsView,
  disagreementsView,
  policiesView,
  type PolicyChangeView,
  policyChangeView,
  policyCheck,
  policyDifference,
  type PolicyView,
  policyView,
  type ProposalView,
  proposalView,
  type RejectionView,
  velocityView,
} from './policy-view.ts';
import { countDecisions } from './stored.ts';
import { velocityOf } from './velocity.ts';

export interface PolicyApiOptions {
  readonly db: Pool;
  readonly access: Callers;
  readonly clock: Clock;
}

type Context = Parameters<Operation['respond']>[0];

const tag = 'policies';
/** A policy of 100 rules has some kilobytes. */
const longestText = 100_000;
const mostChanges = 100;
const mostRejections = 20;
/** It runs beside decisions, on the same processor: some seconds. */
const mostResults = 20_000;
const mostDisagreements = 100;
const longestUser = 256;
const defaultDays = 7;
const dayMs = 86_400_000;

const lines = ['Severe', 'High', 'Moderate', 'Low', 'NO_DATA', 'UNAVAILABLE', 'UNSUPPORTED', 'INVALID'] as const;
const hash = z
  .string()
  .regex(/^[0-9a-f]{64}$/, 'must be 64 hex digits')
  .meta({ description: 'SHA-256 of the text, in hex.', example: exampleChange.policy_hash });
const text = z.string().max(longestText);
const at = z.iso.datetime({ offset: true }).transform((value) => new Date(value));
/** As that of a resolution. */
export const rejectionReason = z.string().trim().min(1).max(2_000);
const segments = z.object({ policy_hash: hash });
const disagreementColumns = Object.keys(disagreementsView.shape.items.element.shape);
const notKept = { NOT_FOUND: [404, 'No policy with this hash is kept.'] } as const;
const invalid = { INVALID_POLICY: [400, 'The policy cannot be used; `POST /v1/policies/checks` lists every problem.'] } as const;

/** Reading, comparing and trying policies, and changing the one in force by two people. */
export function policyOperations(options: PolicyApiOptions): readonly Operation[] {
  // Paths without a hash come first: a path also answers the methods that it does not take.
  return [...tryingOperations(options), ...changingOperations(options), ...runningOperations(options), ...readingOperations(options)];
}

function readingOperations({ db, access }: PolicyApiOptions): readonly Operation[] {
  const list = operation({
    name: 'list_policies',
    method: 'GET',
    path: '/v1/policies',
    tag,
    summary:
      'Lists the policies that were in force, the present first, the proposal that waits, and the proposals that were rejected or taken back.',
    admission: admission(access, readers),
    answers: [
      {
        status: 200,
        description: 'The changes and proposals.',
        schema: policiesView,
        example: { items: [exampleChange], proposal: exampleProposal, rejections: [exampleRejection] },
      },
    ],
    respond: async (c) => {
      const [changes, proposal, rejected] = await Promise.all([
        policyChanges(db, mostChanges),
        waitingProposal(db),
        rejectedProposals(db, mostRejections),
      ]);
      c.header('cache-control', 'no-store');
      return c.json({
        items: changes.map(changeView),
        proposal: proposal === undefined ? null : viewOfProposal(proposal),
        rejections: rejected.map(viewOfRejection),
      });
    },
  });
  const get = operation({
    name: 'get_policy',
    method: 'GET',
    path: '/v1/policies/{policy_hash}',
    tag,
    summary: 'Shows a policy that was in force or proposed.',
    admission: admission(access, readers),
    segments,
    answers: [{ status: 200, description: 'The policy.', schema: policyView, example: examplePolicy }],
    problems: notKept,
    respond: async (c) => {
      const found = await findPolicy(db, c.req.param('policy_hash'));
      if (found === undefined) return noPolicy(c);
      c.header('cache-control', 'no-store');
      return c.json(viewOfPolicy(found.policy, found.text));
    },
  });
  const compare = operation({
    name: 'compare_policies',
    method: 'GET',
    path: '/v1/policies/{policy_hash}/changes',
    tag,
    summary: 'Describes how a policy decides differently from another.',
    admission: admission(access, readers),
    segments,
    query: z.object({ from: hash.optional().meta({ description: 'The policy before. Left out: the one in force.' }) }),
    answers: [{ status: 200, description: 'The difference.', schema: policyDifference, example: exampleDifference }],
    problems: notKept,
    respond: async (c, { query }) => {
      const [from, to] = await Promise.all([
        query.from === undefined ? findActive(db) : findPolicy(db, query.from),
        findPolicy(db, c.req.param('policy_hash')),
      ]);
      if (from === undefined || to === undefined) return noPolicy(c);
      c.header('cache-control', 'no-store');
      return c.json({ from: from.policy.hash, to: to.policy.hash, changes: diffPolicies(from.policy, to.policy) });
    },
  });
  return [list, get, compare];
}

function tryingOperations({ db, access, clock }: PolicyApiOptions): readonly Operation[] {
  const check = operation({
    name: 'check_policy',
    method: 'POST',
    path: '/v1/policies/checks',
    tag,
    summary: 'Checks the text of a policy, and compares it with the one in force.',
    admission: admission(access, readers),
    body: { schema: z.strictObject({ text }), what: 'a policy', example: { text: examplePolicy.text } },
    answers: [
      {
        status: 200,
        description: 'Every problem, or how it decides differently.',
        schema: policyCheck,
        example: { policy_hash: exampleChange.policy_hash, problems: [], changes: exampleDifference.changes },
      },
    ],
    repeats: 'Changes nothing.',
    respond: async (c, { body }) => {
      const read = tryPolicy(body.text);
      if ('problems' in read) return c.json({ policy_hash: null, problems: read.problems, changes: [] });
      const active = await findActive(db);
      const changes = active === undefined ? [] : diffPolicies(active.policy, read.policy);
      return c.json({ policy_hash: read.policy.hash, problems: [], changes });
    },
  });
  const test = operation({
    name: 'backtest_policy',
    method: 'POST',
    path: '/v1/policies/backtests',
    tag,
    summary: 'Applies a policy to stored results, and counts how it would have decided.',
    description: `At most ${mostResults} decisions; those of times that follow each other add up. \`weir policy backtest\` takes any number.`,
    admission: admission(access, readers),
    body: {
      schema: z.strictObject({
        text,
        since: at,
        until: at.optional().meta({ description: 'Decided before this time. Left out: until now.' }),
      }),
      what: 'a backtest',
      example: { text: examplePolicy.text, since: '2026-01-31T00:00:00Z' },
    },
    answers: [
      {
        status: 200,
        description: 'Pairs that did not occur are left out.',
        schema: backtestView,
        example: { policy_hash: exampleChange.policy_hash, results: 1, cells: [{ was: 'review', would_be: 'allow', count: 1 }] },
      },
    ],
    problems: { ...invalid, TOO_MANY_RESULTS: [409, `There are more than ${mostResults} decisions in that time.`] },
    repeats: 'Changes nothing.',
    respond: async (c, { body }) => {
      const read = tryPolicy(body.text);
      if ('problems' in read) return refuseInvalid(c, read.message);
      const selection = { since: body.since, until: body.until };
      if ((await countDecisions(db, selection)) > mostResults)
        return problem(c, 409, 'TOO_MANY_RESULTS', `there are more than ${mostResults} decisions in that time: choose a shorter one`);
      const { count, cells } = await backtest(db, clock, read.policy, selection);
      const rows = [...cells].map(([name, own]) => {
        const [was, would_be] = name.split(':');
        return { was, would_be, count: own };
      });
      return c.json({ policy_hash: read.policy.hash, results: count, cells: rows });
    },
  });
  return [check, test];
}

function changingOperations({ db, access }: PolicyApiOptions): readonly Operation[] {
  const propose = operation({
    name: 'propose_policy',
    method: 'POST',
    path: '/v1/policies/proposals',
    tag,
    summary: 'Proposes a policy; another person puts it in force.',
    admission: admission(access, ['reviewer', 'approver']),
    body: { schema: z.strictObject({ text }), what: 'a proposal', example: { text: examplePolicy.text } },
    answers: [{ status: 201, description: 'Stored. It is not in force.', schema: proposalView, example: exampleProposal }],
    problems: invalid,
    repeats: 'Takes the place of the earlier proposal.',
    respond: async (c, { body }) => {
      const read = tryPolicy(body.text);
      if ('problems' in read) return refuseInvalid(c, read.message);
      return c.json(viewOfProposal(await proposePolicy(db, body.text, personOf(c))), 201);
    },
  });
  const approve = operation({
    name: 'approve_policy',
    method: 'POST',
    path: '/v1/policies/approvals',
    tag,
    summary: "Puts another person's proposal in force.",
    description: 'Once it has answered, no decision is made by the policy before.',
    admission: admission(access, ['approver']),
    body: {
      schema: z.strictObject({ policy_hash: hash }),
      what: 'an approval',
      example: { policy_hash: exampleChange.policy_hash },
    },
    answers: [{ status: 200, description: 'In force.', schema: policyChangeView, example: exampleChange }],
    problems: {
      SAME_PERSON: [403, 'Who proposed it cannot approve it.'],
      NOT_PROPOSED: [409, 'It is not the policy that was proposed last.'],
      SUPERSEDED: [409, 'The policies in force changed since it was proposed.'],
      REJECTED: [409, 'It was rejected.'],
    },
    repeats: '409 `SUPERSEDED`.',
    respond: async (c, { body }) => orRefused(c, async () => c.json(changeView(await approvePolicy(db, body.policy_hash, personOf(c))))),
  });
  const reject = operation({
    name: 'reject_policy',
    method: 'POST',
    path: '/v1/policies/rejections',
    tag,
    summary: 'Ends the proposal that waits, with a reason. Whoever proposed it may, too.',
    admission: admission(access, ['reviewer', 'approver']),
    body: {
      schema: z.strictObject({ policy_hash: hash, reason: rejectionReason }),
      what: 'a rejection',
      example: { policy_hash: exampleChange.policy_hash, reason: exampleRejection.reason },
    },
    answers: [{ status: 200, description: 'What was proposed.', schema: proposalView, example: exampleProposal }],
    problems: {
      NOT_PROPOSED: [409, 'It is not the policy that was proposed last.'],
      REJECTED: [409, 'It was rejected before.'],
      SUPERSEDED: [409, 'It is in force.'],
    },
    repeats: '409 `REJECTED`.',
    respond: async (c, { body }) =>
      orRefused(c, async () => c.json(viewOfProposal(await rejectPolicy(db, body.policy_hash, body.reason, personOf(c))))),
  });
  return [propose, approve, reject];
}

/** What the policies in force do: to one customer, and beside the candidate. */
function runningOperations({ db, access, clock }: PolicyApiOptions): readonly Operation[] {
  const velocity = operation({
    name: 'get_velocity',
    method: 'GET',
    path: '/v1/policies/velocity',
    tag,
    summary: 'Counts what a customer has done in the windows of the policy in force, until now.',
    admission: admission(access, readers),
    query: z.object({ user_id: z.string().min(1).max(longestUser).meta({ description: 'As in your transfers.', example: 'u-1' }) }),
    answers: [{ status: 200, description: 'A customer without transfers has zeros.', schema: velocityView, example: exampleVelocity }],
    problems: notKept,
    respond: async (c, { query: { user_id: user } }) => {
      const active = await findActive(db);
      if (active === undefined) return noPolicy(c);
      c.header('cache-control', 'no-store');
      const items = isStorable(user) ? await velocityOf(db, active.policy, user, clock.now()) : [];
      return c.json({ policy_hash: active.policy.hash, items });
    },
  });
  const disagreed = z.object({
    since: at.optional().meta({ description: `Decided at this time (RFC 3339) or later. Left out: ${defaultDays} days ago.` }),
  });
  const sinceOf = ({ since = new Date(clock.now() - defaultDays * dayMs) }: z.output<typeof disagreed>): Date => since;
  const disagreements = operation({
    name: 'list_disagreements',
    method: 'GET',
    path: '/v1/policies/disagreements',
    tag,
    summary: 'Lists what the candidate would have decided otherwise.',
    admission: admission(access, readers),
    query: disagreed,
    answers: [{ status: 200, description: 'Counts, and the newest.', schema: disagreementsView, example: exampleDisagreements }],
    respond: async (c, { query }) => {
      const since = sinceOf(query);
      const shadow = (await policyInForce(db))?.shadow ?? null;
      const [cells, items] =
        shadow === null
          ? [[], []]
          : await Promise.all([countDisagreements(db, shadow, since), listDisagreements(db, shadow, since, mostDisagreements)]);
      c.header('cache-control', 'no-store');
      return c.json({ shadow_hash: shadow, since: since.toISOString(), cells, items: items.map(viewOfDisagreement) });
    },
  });
  const asCsv = exportOperation({
    list: 'policy-disagreements',
    what: 'decisions that the candidate would have made otherwise, newest first',
    tag,
    admission: admission(access, readers),
    query: disagreed,
    example: disagreementColumns.join(','),
    read: async (_, query) => {
      const shadow = (await policyInForce(db))?.shadow ?? null;
      const found = shadow === null ? [] : await listDisagreements(db, shadow, sinceOf(query), mostExported + 1);
      return exportRows(disagreementColumns, found.map(viewOfDisagreement));
    },
  });
  return [velocity, disagreements, asCsv];
}

function viewOfDisagreement({ transfer, decided_at, ...found }: Disagreement): DisagreementsView['items'][number] {
  const { screening_id, revision, action, shadow, rule } = found;
  const { kind, coin, amount, usd_value } = transfer;
  return { screening_id, revision, kind, coin, amount, usd_value, action, shadow, rule, decided_at: decided_at.toISOString() };
}

/** PostgreSQL has no place for others. */
function isStorable(given: string): boolean {
  return given.isWellFormed() && !given.includes('\0');
}

interface Found {
  readonly policy: Policy;
  readonly text: string;
}

/** Undefined for a hash that is not kept, or whose text this version cannot read. */
async function findPolicy(db: Pool, wanted: string | undefined): Promise<Found | undefined> {
  const valid = hash.safeParse(wanted);
  const kept = valid.success ? await keptPolicy(db, valid.data) : undefined;
  const read = kept === undefined ? undefined : tryPolicy(kept.text);
  return kept === undefined || read === undefined || 'problems' in read ? undefined : { policy: read.policy, text: kept.text };
}

async function findActive(db: Pool): Promise<Found | undefined> {
  return findPolicy(db, (await policyInForce(db))?.active);
}

function tryPolicy(given: string): { policy: Policy } | Pick<PolicyError, 'problems' | 'message'> {
  try {
    return { policy: parsePolicy(given) };
  } catch (error) {
    if (error instanceof PolicyError) return { problems: error.problems, message: error.message };
    throw error;
  }
}

function noPolicy(c: Context): Response {
  return problem(c, 404, 'NOT_FOUND', 'no policy with this hash is kept');
}

async function orRefused(c: Context, act: () => Promise<Response>): Promise<Response> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof ProposalRefused) return problem(c, error.code === 'SAME_PERSON' ? 403 : 409, error.code, error.message);
    throw error;
  }
}

function refuseInvalid(c: Context, message: string): Response {
  return problem(c, 400, 'INVALID_POLICY', message);
}

/** As the command line names people. */
function personOf(c: Context): { id: string; name: string } {
  const { role, id, name } = c.get('caller');
  return { id: `${role}:${id}`, name };
}

function changeView({ number, active, active_by, shadow, changed_at }: PolicyChangeRow): PolicyChangeView {
  return { number, policy_hash: active, set_by: active_by, shadow_hash: shadow, changed_at: changed_at.toISOString() };
}

function viewOfProposal({ policy_hash, proposed_by, proposed_by_name, proposed_at }: PolicyProposal): ProposalView {
  return { policy_hash, proposed_by: { id: proposed_by, name: proposed_by_name }, proposed_at: proposed_at.toISOString() };
}

function viewOfRejection({ rejected_by, rejected_by_name, rejected_at, reason, ...proposal }: RejectedProposal): RejectionView {
  const by = { id: rejected_by, name: rejected_by_name };
  return { ...viewOfProposal(proposal), rejected_by: by, rejected_at: rejected_at.toISOString(), reason };
}

function viewOfPolicy(policy: Policy, given: string): PolicyView {
  const { deposit, withdrawal, sanctioned_exposure, history = {}, rules = [] } = policy;
  const words = rulesInWords(policy);
  return {
    policy_hash: policy.hash,
    text: given,
    sanctioned_exposure,
    table: lines.map((line) => ({ line, deposit: deposit[line], withdrawal: withdrawal[line] })),
    limits: limitsOf(policy),
    windows: Object.entries(history).map(([name, window]) => ({ name, counts: windowWords(window) })),
    rules: rules.map(({ name, when, action, may_relax = false }, n) => ({ name, when, words: words[n] ?? null, action, may_relax })),
  };
}
