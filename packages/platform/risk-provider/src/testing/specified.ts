import type { RiskLevel } from '@weir/risk-client';
import { commonFault, type Script, serve, type Sent, type SimulatedApi } from './server.ts';

const scores: Readonly<Record<RiskLevel, number>> = { Low: 3, Moderate: 31, High: 71, Severe: 91 };

/** The API of the specification. The key is in the query of GET and in the body of POST. */
export async function simulateSpecified({
  apiKey,
  coins = ['ETH', 'USDT-ERC20'],
}: {
  readonly apiKey: string;
  /** As `/v1/status` lists them. */
  readonly coins?: readonly string[];
}): Promise<SimulatedApi> {
  let script: (subject: string) => Script = () => ({ level: 'Low' });
  const tasks = new Map<string, { subject: string; polls: number }>();
  let created = 0;
  const ok = (msg: string, data: unknown): Sent => ({ status: 200, json: { success: true, msg, data } });
  const no = (status: number, msg: string, more = {}): Sent => ({ status, json: { success: false, msg, data: {}, ...more } });

  const server = await serve(({ method, path, query, body }) => {
    if (path === '/v1/status') return ok('', { support_api: [], support_coin: coins });
    const fields = method === 'POST' ? (JSON.parse(body) as Record<string, string>) : Object.fromEntries(query);
    if (fields['api_key'] !== apiKey) return no(400, 'InvalidApiKey');
    if (path === '/v3/risk_score_create_task') {
      const subject = fields['txid'] ?? fields['address'] ?? '';
      const { polls = 0, fault } = script(subject);
      if (fault === 'limited') return no(429, 'ExceededRateLimit', { retry_after: 7 });
      if (fault === 'key_refused') return no(400, 'InvalidApiKey');
      if (fields['coin'] === 'NOPE') return no(400, 'UnsupportedToken');
      const task_id = `task-${++created}`;
      tasks.set(task_id, { subject, polls });
      return ok('', { has_result: polls === 0, scanned_ts: 0, task_id });
    }
    if (path !== '/v3/risk_score_query_task') return no(404, 'PageNotFound');
    const task = tasks.get(fields['task_id'] ?? '');
    if (task === undefined) return ok('TaskNotFound', {});
    if (task.polls-- > 0) return ok('TaskUnderRunning', {});
    const of = script(task.subject);
    return commonFault(of.fault) ?? ok('', resultOf(of));
  });
  return { ...server, answer: (next) => void (script = next), forget: () => tasks.clear() };
}

function resultOf({ level, riskType, isIndirect = false, fault }: Script): Record<string, unknown> {
  const exposure = {
    entity: 'an entity',
    risk_type: fault === 'category_unknown' ? 'sanctions' : riskType,
    exposure_type: isIndirect ? 'indirect' : 'direct',
    hop_num: isIndirect ? 3 : 1,
    volume: 100,
    percent: 10,
  };
  return {
    score: fault === 'contradiction' ? 95 : scores[level ?? 'Low'],
    ...(fault !== 'level_missing' && { risk_level: fault === 'level_unknown' ? 'Medium' : (level ?? 'Low') }),
    hacking_event: '',
    detail_list: [],
    risk_detail: riskType === undefined && fault !== 'category_unknown' ? [] : [exposure],
    address_label: '',
    risk_report_url: '',
    coverage: level === null ? 'none' : 'full',
  };
}
