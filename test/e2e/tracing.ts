import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Collector, type ReceivedSpan, startCollector } from '../support/collector/collector.ts';
import { type Installation, makeInstallation } from '../support/stack/installation.ts';

const limit = { timeout: 30_000, interval: 250 };
const sender = '0x098b716b8aaf21512996dc57eb0615e2383e2f96';
const receiver = '0x28c6c06298d514db089934071355e5743bf21d60';
const customer = 'customer-1';

/** One transfer is one whole trace in a real collector, on this tier. */
export function expectTraces(tier: { prepare(): Promise<{ env: NodeJS.ProcessEnv; close(): Promise<void> }> }): void {
  let collector: Collector;
  let prepared: Awaited<ReturnType<typeof tier.prepare>>;
  let installation: Installation;
  beforeAll(async () => {
    [collector, prepared] = await Promise.all([startCollector(), tier.prepare()]);
    installation = await makeInstallation({ env: { ...prepared.env, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } });
    await installation.start();
  }, 1_500_000);
  afterAll(async () => {
    await installation?.remove();
    await prepared?.close();
    await collector?.close();
  });

  async function post(id: string, headers: Record<string, string> = {}): Promise<string> {
    const body = {
      deposit_id: id,
      coin: 'ETH',
      from_address: sender,
      to_address: receiver,
      amount: '1',
      usd_value: '50',
      user_id: customer,
    };
    const answer = await fetch(`${installation.url}/v1/deposits`, {
      method: 'POST',
      headers: { authorization: `Bearer ${installation.token('ingest')}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    expect(answer.status).toBe(202);
    return ((await answer.json()) as { screening_id: string }).screening_id;
  }

  /** Every service has written its spans, and the lookup has ended. */
  async function traceOf(screening: string): Promise<ReceivedSpan[]> {
    const own = (): ReceivedSpan[] => collector.spans().filter(({ traceId }) => traceId === screening.replaceAll('-', ''));
    await vi.waitFor(() => {
      const names = new Set(own().map(({ service, name }) => `${service} ${name}`));
      for (const name of [
        'weir-deposit-ingest POST /v1/deposits',
        'weir-deposit-ingest send deposits.detected',
        'weir-deposit-ingest send screenings.requested',
        'weir-scoring process screenings.requested',
        'weir-scoring send screenings.scored',
        'weir-decision process screenings.scored',
        'weir-decision send screenings.decided',
        'weir-console process screenings.decided',
        'weir-audit-writer process screenings.decided',
      ])
        expect(names).toContain(name);
    }, limit);
    return own();
  }

  let first: readonly ReceivedSpan[];
  test('a deposit is one trace through all services, and each span of it hangs on another one', async () => {
    const screening = await post('traced-1');
    await vi.waitFor(() => expect(collector.spans().some(({ name }) => name === 'lookup')).toBe(true), limit);
    first = await traceOf(screening);
    const ids = first.map(({ spanId }) => spanId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(first.filter(({ parentSpanId }) => parentSpanId === '').map(({ name }) => name)).toEqual(['POST /v1/deposits']);
    expect(first.filter(({ parentSpanId }) => parentSpanId !== '' && !ids.includes(parentSpanId)).map(({ name }) => name)).toEqual([]);
  });

  test('the lookup is in it: the call, the risk service that answers it, its queue and its statements', () => {
    const path = (name: string): string[] => {
      const names: string[] = [];
      for (let span = first.find((one) => one.name === name); span !== undefined; ) {
        const { service, parentSpanId } = span;
        names.push(`${service} ${span.name}`);
        span = first.find(({ spanId }) => spanId === parentSpanId);
      }
      return names.toReversed();
    };
    expect(path('process risk-runs')).toEqual([
      'weir-deposit-ingest POST /v1/deposits',
      'weir-deposit-ingest send screenings.requested',
      'weir-scoring lookup',
      'weir-scoring POST',
      'weir-risk-api POST v3_risk_score_create_task',
      'weir-risk-api process risk-runs',
    ]);
    const statements = first.filter(({ attributes }) => attributes['db.system.name'] === 'postgresql');
    expect(statements.filter(({ service }) => service === 'weir-risk-api').map(({ name }) => name)).toContain('UPDATE risk.runs');
  });

  test('a batch has a trace of its own, which links to those of its records', () => {
    const trace = first[0]?.traceId ?? '';
    const batches = collector.spans().filter(({ name, links }) => name === 'batch' && links.includes(trace));
    const services = batches.map(({ service }) => service);
    for (const service of ['weir-audit-writer', 'weir-console']) expect(services).toContain(service);
    expect(batches.filter(({ traceId }) => traceId === trace)).toEqual([]);
    const own = collector.spans().filter(({ parentSpanId }) => batches.some(({ spanId }) => spanId === parentSpanId));
    expect(own.map(({ name }) => name)).toContain('COMMIT');
  });

  test('the trace of a caller goes on, and is linked with that of the transfer', async () => {
    const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
    const screening = await post('traced-2', { traceparent: `00-${trace}-00f067aa0ba902b7-01` });
    const own = await traceOf(screening);
    expect(own.find(({ parentSpanId }) => parentSpanId === '')?.links).toEqual([trace]);
    const request = collector.spans().find(({ traceId }) => traceId === trace);
    expect(request).toMatchObject({ name: 'POST /v1/deposits', parentSpanId: '00f067aa0ba902b7', links: [screening.replaceAll('-', '')] });
  });

  test('a change of labels that two people agree on is in the trace of the request that approved it', async () => {
    const approver = await installation.addPerson('approver', 'A Second Person');
    const caller = '00f067aa0ba902b7';
    const ask = async (path: string, token: string, body: unknown, trace?: string): Promise<{ request_id: string }> => {
      const own = trace === undefined ? undefined : { traceparent: `00-${trace}-${caller}-01` };
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...own };
      const answer = await fetch(`${installation.url}/v1/label-requests${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
      expect(answer.ok).toBe(true);
      return (await answer.json()) as { request_id: string };
    };
    const approved = '6bf92f3577b34da6a3ce929d0e0e4736';
    const label = { chain: 'ethereum', address: receiver, name: 'A Label', category: 'scam', source: 'own' };
    const { request_id } = await ask('', installation.token('reviewer'), { action: 'add', ...label, reason: 'a test' });
    await ask(`/${request_id}/answers`, approver, { approve: true }, approved);
    const spansIn = (trace: string | undefined): ReceivedSpan[] => collector.spans().filter(({ traceId }) => traceId === trace);
    const namesIn = (trace: string | undefined): string[] => spansIn(trace).map(({ service, name }) => `${service} ${name}`);
    // A browser sends no traceparent: its request begins a trace.
    const asked = (): string | undefined => collector.spans().find(({ name }) => name === 'POST /v1/label-requests')?.traceId;
    const act = ['weir-console send activities.recorded', 'weir-audit-writer process activities.recorded'];
    const change = ['weir-scoring send labels.changed', 'weir-audit-writer process labels.changed'];
    await vi.waitFor(() => {
      expect(namesIn(asked())).toEqual(expect.arrayContaining(act));
      expect(namesIn(approved)).toEqual(expect.arrayContaining([...act, ...change]));
      for (const trace of [asked(), approved]) {
        const ids = [caller, '', ...spansIn(trace).map(({ spanId }) => spanId)];
        expect(spansIn(trace).filter(({ parentSpanId }) => !ids.includes(parentSpanId))).toEqual([]);
      }
    }, limit);
    expect(namesIn(asked())).not.toContain(change[0]);
  });

  test('no span has an address, a customer or a secret', () => {
    const text = JSON.stringify(collector.spans());
    for (const secret of [sender, receiver, customer, installation.token('ingest'), 'traced-1']) expect(text).not.toContain(secret);
  });
}
