import { allCoins } from '@weir/chains';
import type { QueryAnswer, Refusal } from '@weir/risk-client';
import { unavailable } from '@weir/risk-client/raw';
import type { OwnCategories } from '../categories.ts';
import { type ApiOptions, HttpApi, noChanges, type Read } from '../http-api.ts';
import type { AskAnswer, ProviderLimits, Question, RiskProvider } from '../port.ts';
import { explainElliptic, statusOf } from './answer.ts';
import chains from './chains.json' with { type: 'json' };
import { signatureOf } from './sign.ts';

export interface EllipticOptions extends ApiOptions {
  /** Signs the requests; base64. */
  readonly apiSecret: string;
  readonly categories?: OwnCategories;
}

type Kind = 'wallet' | 'analyses';

const taskPattern = /^(wallet|analyses)\/[0-9a-zA-Z-]{1,64}$/;
/** The API asks for a customer. Weir names none. */
const customer_reference = 'weir';

/** Elliptic AML, version 2. An address is assessed as a wallet, a transaction by source or destination of its money. */
export function ellipticProvider({ apiSecret, categories = new Map(), ...options }: EllipticOptions, limits: ProviderLimits): RiskProvider {
  if (Buffer.from(apiSecret, 'base64').length === 0) throw new TypeError('the API secret is empty or not base64');
  const api = new HttpApi(options, [apiSecret]);
  const explain = (evidence: string) => explainElliptic(evidence, categories);
  const send = (method: 'GET' | 'POST', path: string, body: string, signal?: AbortSignal) => {
    const at = options.clock.now();
    const sign = signatureOf(apiSecret, { at, method, path: api.pathOf(path), body });
    const headers = { 'x-access-key': options.apiKey, 'x-access-timestamp': String(at), 'x-access-sign': sign };
    return api.json({ method, path, headers, ...(method === 'POST' && { body }) }, signal);
  };
  const answerOf = (kind: Kind, answer: Read | { kind: 'absent'; read?: Read } | Refusal): AskAnswer | QueryAnswer => {
    // Not on the blockchain yet, or unknown to the provider.
    if ('kind' in answer && answer.kind === 'absent')
      return answer.read === undefined ? unavailable('HTTP_STATUS', 'HTTP 404') : api.assessed(answer.read.text, explain);
    if ('kind' in answer) return answer;
    const found = statusOf(answer.value);
    if (found?.status === 'running') return { kind: 'created', task_id: `${kind}/${found.id}`, has_result: false, scanned_ts: null };
    return api.assessed(answer.text, explain);
  };
  const ask = async (question: Question, signal?: AbortSignal): Promise<AskAnswer> => {
    if (!chains.chains.includes(question.chain)) return { kind: 'unsupported', code: 'UnsupportedToken' };
    const analysis = analysisOf(question);
    if (analysis === undefined) return { kind: 'invalid', code: 'ReceiverNeeded' };
    const { kind, body } = analysis;
    return answerOf(
      kind,
      await send('POST', `/v2/${kind}/synchronous`, JSON.stringify({ ...body, customer_reference }), signal),
    ) as AskAnswer;
  };
  const follow = async (taskId: string, signal?: AbortSignal): Promise<QueryAnswer> => {
    if (!taskPattern.test(taskId)) return { kind: 'not_found' };
    const answer = await send('GET', `/v2/${taskId}`, '', signal);
    if ('kind' in answer && answer.kind === 'absent') return { kind: 'not_found' };
    const read = answerOf(taskId.startsWith('wallet/') ? 'wallet' : 'analyses', answer);
    return read.kind === 'created' ? { kind: 'running' } : read;
  };
  return {
    name: api.name,
    limits,
    needs: ({ subject_type }) => (subject_type === 'txid' ? ['to_address'] : []),
    ask: (question, signal) => api.observed('ask', ask(question, signal)),
    follow: (taskId, signal) => api.observed('follow', follow(taskId, signal)),
    explain,
    changes: noChanges,
    coins: async () => ({
      kind: 'coins',
      coins: [...allCoins()].filter(({ chain }) => chains.chains.includes(chain)).map(({ symbol }) => symbol),
    }),
  };
}

function analysisOf({ subject_type, subject: hash, direction, facts }: Question) {
  const holistic = { asset: 'holistic', blockchain: 'holistic' };
  if (subject_type === 'address')
    return { kind: 'wallet', body: { subject: { ...holistic, type: 'address', hash }, type: 'wallet_exposure' } } as const;
  if (facts.to_address === undefined) return undefined;
  const subject = { ...holistic, type: 'transaction', hash, output_type: 'address', output_address: facts.to_address };
  return { kind: 'analyses', body: { subject, type: direction === 'deposit' ? 'source_of_funds' : 'destination_of_funds' } } as const;
}
