import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startInstance, get, post, resultOf, type Instance, type TestService } from '../../testing/instance.ts';
import { create, query, standardKey } from '../../testing/calls.ts';

const trx = 'TU4tDFRvcKhAZ1jdihojmBWZqvJhQCnJ4F';

let service: TestService;
let instance: Instance;
let keys: { standard: string };

beforeAll(async () => {
  ({ service, instance, keys } = await startInstance({ keys: { standard: standardKey } }));
});
afterAll(() => service.stop());

describe('standard tasks', () => {
  it.each(['nothing', '0'.repeat(32), '0'.repeat(513), 'a\0b'])('an unknown one is not a failure: %j', async (task_id) => {
    expect(await get(instance.url + query, { task_id, api_key: keys.standard })).toMatchObject({
      status: 200,
      body: { success: true, msg: 'TaskNotFound', data: {} },
    });
  });

  it('run, are found by their key only, and answer with the fields of v3', async () => {
    const shares = { direct: 0, traced: 0, unread: 0 };
    const nothing = { coverage: 'none', counted: true, score: 3, upper_score: 3, transfers: 0, usd: 0, addresses: 0, ...shares };
    const created = await post(instance.url + create, { coin: 'TRX', address: trx, txid: '', api_key: keys.standard });
    expect(created).toMatchObject({ status: 200, body: { success: true, msg: '', data: { has_result: false, scanned_ts: 0 } } });
    const { task_id } = created.body.data;
    expect(await resultOf(instance.url, keys.standard, task_id)).toEqual({
      success: true,
      msg: '',
      data: {
        score: 3,
        hacking_event: '',
        detail_list: [],
        risk_level: 'Low',
        risk_detail: [],
        address_label: '',
        contradictions: [],
        risk_report_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/v1\/risk_report\?access_token=[\w.-]{50,}$/),
        coverage: 'none',
        illicit_usd: 0,
        bound: 0,
        contributions: [{ key: 'base', points: 3 }],
        counterfactuals: [],
        sides: { in: nothing, out: nothing },
      },
    });
    const other = await service.key({ surface: 'standard' });
    expect((await get(instance.url + query, { task_id, api_key: other })).body).toEqual({ success: true, msg: 'TaskNotFound', data: {} });
  });
});
