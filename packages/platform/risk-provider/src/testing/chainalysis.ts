import { commonFault, type Script, serve, type Sent, type SimulatedApi } from './server.ts';

const levels = { Low: 'LOW', Moderate: 'MEDIUM', High: 'HIGH', Severe: 'SEVERE' } as const;
const categories = { sanctioned_entity: [3, 'sanctioned entity'], mixer: [13, 'mixing'], gambling: [16, 'gambling'] } as const;
const token = /^\/api\/kyt\/v2\/users\/([^/]+)\/(transfers|withdrawal-attempts)$/;
const reading = /^\/api\/kyt\/v2\/(transfers|withdrawal-attempts)\/([^/]+)(\/exposures|\/alerts)?$/;

/** Chainalysis KYT, version 2, as its public documentation and public clients show it. */
export async function simulateChainalysis({ apiKey }: { readonly apiKey: string }): Promise<SimulatedApi> {
  let script: (subject: string) => Script = () => ({ level: 'Low' });
  const tasks = new Map<string, { subject: string; polls: number }>();
  const bad = (message: string): Sent => ({ status: 400, json: { status: 400, message } });

  function register(kind: string, body: Record<string, unknown>): Sent {
    const isTransfer = kind === 'transfers';
    const required = isTransfer ? ['transferReference', 'direction'] : ['address', 'attemptIdentifier', 'assetAmount', 'attemptTimestamp'];
    const missing = ['network', 'asset', ...required].filter((field) => body[field] === undefined);
    if (missing.length > 0) return bad(`missing ${missing.join(', ')}`);
    if (isTransfer && !/^[^:]+:[^:]+$/.test(String(body['transferReference']))) return bad('transferReference');
    if (isTransfer && !['received', 'sent'].includes(String(body['direction']))) return bad('direction');
    if (!isTransfer && typeof body['assetAmount'] !== 'number') return bad('assetAmount');
    const subject = isTransfer ? (String(body['transferReference']).split(':')[0] ?? '') : String(body['address']);
    const { polls = 0, fault } = script(subject);
    if (fault === 'limited') return { status: 429, json: { message: 'Too many requests' }, headers: { 'retry-after': '7' } };
    if (fault === 'key_refused') return { status: 403, json: { status: 403, error: 'Forbidden' } };
    const externalId = `00000000-0000-4000-8000-${String(tasks.size + 1).padStart(12, '0')}`;
    tasks.set(`${kind}/${externalId}`, { subject, polls });
    return { status: 202, json: { ...body, externalId, updatedAt: null } };
  }

  const server = await serve(({ method, path, headers, body }) => {
    if (headers['token'] !== apiKey) return { status: 403, json: { status: 403, error: 'Forbidden' } };
    const [, user, kind] = token.exec(path) ?? [];
    if (method === 'POST' && user !== undefined && kind !== undefined) return register(kind, JSON.parse(body) as Record<string, unknown>);
    const [, of, id, part] = reading.exec(path) ?? [];
    const task = tasks.get(`${of}/${id}`);
    if (task === undefined) return { status: 404, json: { status: 404, message: 'Not found' } };
    const answer = script(task.subject);
    if (part === '/exposures') return { status: 200, json: exposuresOf(answer) };
    if (part === '/alerts') return commonFault(answer.fault) ?? { status: 200, json: alertsOf(answer) };
    const isRunning = task.polls-- > 0;
    return { status: 200, json: { externalId: id, updatedAt: isRunning ? null : new Date().toISOString() } };
  });
  return { ...server, answer: (next) => void (script = next), forget: () => tasks.clear() };
}

function exposuresOf({ level, fault }: Script): unknown {
  if (fault === 'contradiction') return { direct: { name: 'an entity', categoryId: 3, category: 'sanctioned entity' } };
  return {
    direct:
      level === null ? { name: null, categoryId: null, category: null } : { name: 'an exchange', categoryId: 21, category: 'exchange' },
  };
}

function alertsOf({ level, riskType, isIndirect = false, fault }: Script): unknown {
  if (fault === 'contradiction' || (level === null && fault === undefined)) return { alerts: [] };
  const [categoryId, category] = riskType === undefined ? [999, 'custom address'] : categories[riskType];
  // Most transfers without a risk have no alert.
  if (level === 'Low' && riskType === undefined && fault === undefined) return { alerts: [] };
  const alert = {
    ...(fault !== 'level_missing' && { alertLevel: fault === 'level_unknown' ? 'ELEVATED' : levels[level ?? 'Low'] }),
    category: fault === 'category_unknown' ? 'something new' : category,
    ...(fault !== 'category_unknown' && { categoryId }),
    service: 'an entity',
    externalId: '10000000-0000-4000-8000-000000000000',
    alertAmount: 100,
    exposureType: isIndirect ? 'INDIRECT' : 'DIRECT',
  };
  return { alerts: [alert] };
}
