import { systemClock } from '@weir/clock';
import { signatureOf } from '../elliptic/sign.ts';
import { commonFault, type Script, serve, type Sent, type SimulatedApi } from './server.ts';

const scores = { Low: 1, Moderate: 5, High: 8, Severe: 9.5 } as const;
const categories = { sanctioned_entity: 'OFAC Sanctioned Entity', mixer: 'Mixer', gambling: 'Gambling' } as const;
const mostSkewMs = 300_000;

/** Elliptic AML, version 2, as its public description shows it. Each request must be signed. */
export async function simulateElliptic({
  apiKey,
  apiSecret,
}: {
  readonly apiKey: string;
  readonly apiSecret: string;
}): Promise<SimulatedApi> {
  let script: (subject: string) => Script = () => ({ level: 'Low' });
  const running = new Map<string, { subject: string; type: string; polls: number }>();
  const refused = (): Sent => ({ status: 401, json: { name: 'UnauthorizedError', message: 'invalid signature' } });

  function analysis(id: string, { subject, type }: { subject: string; type: string }, isRunning: boolean): Sent {
    const answer = script(subject);
    if (isRunning) return { status: 200, json: { id, type, process_status: 'running', risk_score: null } };
    return commonFault(answer.fault) ?? sent(id, type, answer);
  }

  const server = await serve(({ method, path, url, headers, body }) => {
    const at = Number(headers['x-access-timestamp']);
    const expected = signatureOf(apiSecret, { at, method: method as 'GET' | 'POST', path: url, body });
    if (headers['x-access-key'] !== apiKey || headers['x-access-sign'] !== expected) return refused();
    if (Math.abs(systemClock.now() - at) > mostSkewMs) return refused();
    const [, kind, part] = /^\/v2\/(wallet|analyses)\/([0-9a-z-]+)$/.exec(path) ?? [];
    if (method === 'GET') {
      const task = running.get(`${kind}/${part}`);
      if (task === undefined) return { status: 404, json: { name: 'NotFoundError', message: 'not found' } };
      const isRunning = task.polls > 0;
      task.polls -= 1;
      return analysis(part ?? '', task, isRunning);
    }
    if (part !== 'synchronous') return { status: 404, json: { name: 'NotFoundError', message: 'not found' } };
    const { subject, type, customer_reference } = JSON.parse(body) as {
      subject: Record<string, string>;
      type: string;
      customer_reference: string;
    };
    const types = kind === 'wallet' ? ['wallet_exposure'] : ['source_of_funds', 'destination_of_funds'];
    const required =
      kind === 'wallet' ? ['asset', 'blockchain', 'type', 'hash'] : ['asset', 'type', 'hash', 'output_type', 'output_address'];
    if (!types.includes(type) || customer_reference === undefined || required.some((field) => subject[field] === undefined))
      return { status: 400, json: { name: 'BadRequestError', message: 'bad request' } };
    const hash = subject['hash'] ?? '';
    const { polls = 0, fault } = script(hash);
    if (fault === 'limited') return { status: 429, json: { name: 'TooManyRequests' }, headers: { 'retry-after': '7' } };
    if (fault === 'key_refused') return refused();
    const id = `00000000-0000-4000-8000-${String(running.size + 1).padStart(12, '0')}`;
    const of = { subject: hash, type, polls };
    if (polls > 0) running.set(`${kind}/${id}`, of);
    return analysis(id, of, polls > 0);
  });
  return { ...server, answer: (next) => void (script = next), forget: () => running.clear() };
}

function sent(id: string, type: string, { level, riskType, isIndirect = false, fault }: Script): Sent {
  if (level === null && fault === undefined)
    return { status: 404, json: { name: 'NotInBlockchain', message: 'The submitted address has not yet been processed.' } };
  const category = fault === 'category_unknown' ? 'Something New' : riskType === undefined ? 'Exchange' : categories[riskType];
  const score = fault === 'level_unknown' ? 11 : scores[level ?? 'Low'];
  const value = { usd: 100 };
  const nothing = { usd: 0 };
  const element = {
    category,
    contribution_percentage: 10,
    contribution_value: value,
    counterparty_value: isIndirect ? nothing : value,
    indirect_value: isIndirect ? value : nothing,
    contributions: [
      {
        entity: 'an entity',
        entity_id: '00000000-0000-4000-8000-800000000001',
        counterparty_value: isIndirect ? nothing : value,
        indirect_value: isIndirect ? value : nothing,
        min_number_of_hops: isIndirect ? 3 : 1,
      },
    ],
  };
  // Without a risk no rule is triggered.
  const isClean = level === 'Low' && riskType === undefined && fault === undefined;
  const rules = isClean
    ? []
    : [{ rule_id: '00000000-0000-4000-8000-700000000001', rule_name: 'a rule', risk_score: score, matched_elements: [element] }];
  const contributions = [
    { entities: [{ name: 'an exchange', category: 'Exchange', is_primary_entity: true }], contribution_percentage: 90 },
  ];
  const isWallet = type === 'wallet_exposure';
  return {
    status: 200,
    json: {
      id,
      type,
      process_status: 'complete',
      analysed_at: new Date().toISOString(),
      ...(fault !== 'level_missing' && { risk_score: isClean || fault === 'contradiction' ? null : score }),
      evaluation_detail: isWallet ? { source: rules, destination: [] } : rules,
      contributions: isWallet ? { source: contributions, destination: [] } : contributions,
      ...(isWallet && { cluster_entities: [] }),
    },
  };
}
