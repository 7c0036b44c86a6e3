import { allCoins, assetOf } from '@weir/chains';
import type { QueryAnswer, Refusal } from '@weir/risk-client';
import { type Request, unavailable } from '@weir/risk-client/raw';
import { z } from 'zod';
import type { OwnCategories } from '../categories.ts';
import { type ApiOptions, HttpApi, noChanges, type Read } from '../http-api.ts';
import type { AskAnswer, ProviderLimits, Question, RiskProvider } from '../port.ts';
import { explainChainalysis } from './answer.ts';
import networks from './networks.json' with { type: 'json' };

/** `externalId` goes into paths. `updatedAt` is null until the assessment is complete. */
const summary = z.object({ externalId: z.string().regex(/^[0-9a-zA-Z-]{1,64}$/), updatedAt: z.string().nullable() });
const taskPattern = /^(transfers|withdrawal-attempts)\/[0-9a-zA-Z-]{1,64}$/;

/** Chainalysis KYT, version 2. A deposit is registered as a transfer, a withdrawal as an attempt. */
export function chainalysisProvider(
  { categories = new Map(), ...options }: ApiOptions & { readonly categories?: OwnCategories },
  limits: ProviderLimits,
): RiskProvider {
  const api = new HttpApi(options);
  const explain = (evidence: string) => explainChainalysis(evidence, categories);
  const send = (request: Omit<Request, 'fields' | 'headers'>, signal?: AbortSignal) =>
    api.json({ ...request, headers: { token: options.apiKey } }, signal);
  return {
    name: api.name,
    limits,
    needs: ({ subject_type }) => (subject_type === 'txid' ? ['user', 'to_address'] : ['user', 'attempt', 'amount', 'occurred_at']),
    ask: (question, signal) => api.observed('ask', ask(question, send, signal)),
    follow: (taskId, signal) => api.observed('follow', follow(taskId, { api, send, explain }, signal)),
    explain,
    changes: noChanges,
    coins: async () => ({
      kind: 'coins',
      coins: [...allCoins()].filter(({ chain }) => networkOf(chain) !== undefined).map(({ symbol }) => symbol),
    }),
  };
}

type Send = (request: Omit<Request, 'fields' | 'headers'>, signal?: AbortSignal) => Promise<Read | { readonly kind: 'absent' } | Refusal>;

function networkOf(chain: string): string | undefined {
  return (networks.networks as Partial<Record<string, { name: string }>>)[chain]?.name;
}

async function ask(question: Question, send: Send, signal?: AbortSignal): Promise<AskAnswer> {
  const network = networkOf(question.chain);
  if (network === undefined) return { kind: 'unsupported', code: 'UnsupportedToken' };
  const registration = registrationOf(question);
  if (registration === undefined) return { kind: 'invalid', code: 'TransactionNeeded' };
  const { kind, body } = registration;
  const user = encodeURIComponent(question.facts.user ?? '');
  const asset = { network, asset: assetOf(question.coin) };
  const path = `/api/kyt/v2/users/${user}/${kind}`;
  const answer = await send({ method: 'POST', path, body: JSON.stringify({ ...asset, ...body }) }, signal);
  if ('kind' in answer) return answer.kind === 'absent' ? { kind: 'rejected', status: 404, code: 'HTTP_404' } : answer;
  const read = summary.safeParse(answer.value);
  if (!read.success) return unavailable('UNREADABLE', 'the registration has no id or no time of update');
  return { kind: 'created', task_id: `${kind}/${read.data.externalId}`, has_result: read.data.updatedAt !== null, scanned_ts: null };
}

/** KYT assesses transactions, and addresses only as receivers. */
function registrationOf({ subject_type, subject, direction, facts }: Question) {
  const { user, to_address, attempt, amount, occurred_at } = facts;
  if (user === undefined) return undefined;
  if (subject_type === 'txid') {
    if (to_address === undefined) return undefined;
    const body = { transferReference: `${subject}:${to_address}`, direction: direction === 'deposit' ? 'received' : 'sent' };
    return { kind: 'transfers', body } as const;
  }
  if (direction === 'deposit' || attempt === undefined || amount === undefined || occurred_at === undefined) return undefined;
  const attemptTimestamp = new Date(occurred_at).toISOString();
  const body = { address: subject, attemptIdentifier: attempt, assetAmount: Number(amount), attemptTimestamp };
  return { kind: 'withdrawal-attempts', body } as const;
}

/** The three bodies are read only when the summary says that the assessment is complete. */
async function follow(
  taskId: string,
  { api, send, explain }: { api: HttpApi; send: Send; explain: RiskProvider['explain'] },
  signal?: AbortSignal,
): Promise<QueryAnswer> {
  // Another provider's task.
  if (!taskPattern.test(taskId)) return { kind: 'not_found' };
  const path = `/api/kyt/v2/${taskId}`;
  const answer = await send({ method: 'GET', path }, signal);
  if ('kind' in answer) return answer.kind === 'absent' ? { kind: 'not_found' } : answer;
  const read = summary.safeParse(answer.value);
  if (!read.success) return unavailable('UNREADABLE', 'the summary has no id or no time of update');
  if (read.data.updatedAt === null) return { kind: 'running' };
  const [exposures, alerts] = await Promise.all([
    send({ method: 'GET', path: `${path}/exposures` }, signal),
    send({ method: 'GET', path: `${path}/alerts` }, signal),
  ]);
  for (const one of [exposures, alerts])
    if ('kind' in one) return one.kind === 'absent' ? unavailable('UNREADABLE', 'a part of the assessment is missing') : one;
  const { text } = answer;
  return api.assessed(`{"summary":${text},"exposures":${(exposures as Read).text},"alerts":${(alerts as Read).text}}`, explain);
}
