import { readFileSync } from 'node:fs';
import { detailOrder, levelOf } from '@weir/risk-engine';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sandboxTargets } from './targets.ts';
import { startInstance, get, post, type Instance, type TestService } from '../../testing/instance.ts';
import { create, query, sandboxGet, failure, unlimitedSandboxKey } from '../../testing/calls.ts';

const eth = '0x098B716B8Aaf21512996dC57EB0615e2383E2f96';
const ethTx = '0x37d411e434f6a5124a5e615f767dcbfc668d68355f8baac2ec5fd7ff4050ee94';
const trx = 'TU4tDFRvcKhAZ1jdihojmBWZqvJhQCnJ4F';

let service: TestService;
let instance: Instance;
let keys: { sandbox: string };

beforeAll(async () => {
  ({ service, instance, keys } = await startInstance({ keys: { sandbox: unlimitedSandboxKey } }));
});
afterAll(() => service.stop());

describe('sandbox targets', () => {
  it('are ten: for each coin an address of each level and a transaction', async () => {
    const { status, body } = await get(`${instance.url}/sandbox/targets`);
    expect(status).toBe(200);
    const shape = (coin: string) =>
      body.targets
        .filter((t: { coin: string }) => t.coin === coin)
        .map((t: Record<string, unknown>) => `${'txid' in t ? 'txid' : 'address'} ${String(t['risk_level'])}`);
    expect(body.targets).toHaveLength(10);
    expect(shape('ETH')).toEqual(['address Severe', 'address High', 'address Moderate', 'address Low', 'txid Severe']);
    expect(shape('TRX')).toEqual(['address Severe', 'address High', 'address Moderate', 'address Low', 'txid Moderate']);
    expect(Object.keys(body.targets[0])).toEqual(['coin', 'address', 'risk_level', 'score']);
  });

  it('have a path where an exposure is indirect', () => {
    const indirect = sandboxTargets.flatMap(({ risk_detail }) => risk_detail).filter(({ exposure_type }) => exposure_type === 'indirect');
    expect(indirect.length).toBeGreaterThan(0);
    for (const { hop_dic, hop_num } of indirect) expect(Object.keys(hop_dic ?? {})).toContain(String(hop_num));
  });

  describe.each(sandboxTargets)('$coin $risk_level, score $score: $why', (target) => {
    const subject = { coin: target.coin, ...(target.address === undefined ? { txid: target.txid ?? '' } : { address: target.address }) };

    it('answer at once and by task, the same', async () => {
      const direct = await get(instance.url + sandboxGet, { ...subject, api_key: keys.sandbox });
      expect(direct).toMatchObject({
        status: 200,
        body: { success: true, msg: '', data: { score: target.score, risk_level: target.risk_level } },
      });
      const { data } = direct.body;
      expect(Object.keys(data).sort()).toEqual([
        'address_label',
        'contradictions',
        'coverage',
        'detail_list',
        'hacking_event',
        'risk_detail',
        'risk_level',
        'risk_report_url',
        'score',
      ]);
      expect(levelOf(data.score)).toBe(data.risk_level);
      for (const detail of data.detail_list) expect([...detailOrder, ...(data.risk_level === 'Low' ? ['-'] : [])]).toContain(detail);

      const created = await post(`${instance.url}/sandbox${create}`, { ...subject, api_key: keys.sandbox });
      expect(created).toMatchObject({
        status: 200,
        body: { success: true, msg: '', data: { has_result: true, task_id: expect.any(String) } },
      });
      expect(created.body.data.scanned_ts).toBeGreaterThan(1_700_000_000);
      const task_id = created.body.data.task_id;
      const byTask = (await get(`${instance.url}/sandbox${query}`, { task_id, api_key: keys.sandbox })).body;
      // Each answer has its own signed report URL.
      const url = expect.stringContaining('/v1/risk_report?access_token=');
      expect(byTask).toEqual({ ...direct.body, data: { ...data, risk_report_url: url } });
    });
  });

  it('take letters as they come, and show the label of the side asked for', async () => {
    const lower = await get(instance.url + sandboxGet, { coin: 'ETH', address: eth.toLowerCase(), api_key: keys.sandbox });
    expect(lower.body.data.score).toBe(100);
    const side = async (direction: string) => {
      const { body } = await post(`${instance.url}/sandbox${create}`, { coin: 'ETH', txid: ethTx, direction, api_key: keys.sandbox });
      return (await get(`${instance.url}/sandbox${query}`, { task_id: body.data.task_id, api_key: keys.sandbox })).body.data.address_label;
    };
    expect([await side('deposit'), await side('withdraw'), await side('')]).toEqual([
      'LI.FI Exploiter 12',
      'LI.FI Exploiter 18',
      'LI.FI Exploiter 12',
    ]);
  });

  it("another key's task is not found", async () => {
    const { body } = await post(`${instance.url}/sandbox${create}`, { coin: 'TRX', address: trx, api_key: keys.sandbox });
    const other = await service.key({ surface: 'sandbox' });
    expect((await get(`${instance.url}/sandbox${query}`, { task_id: body.data.task_id, api_key: other })).body).toEqual(
      failure('TaskNotFound'),
    );
  });
});

describe('the README', () => {
  it.each(['../../../README.md', '../../../../../README.md'])('%s lists the targets with their results', (path) => {
    const readme = readFileSync(new URL(path, import.meta.url), 'utf8');
    for (const { coin, address, txid, risk_level, score, detail_list } of sandboxTargets) {
      expect(readme).toContain(`| ${coin} | \`${address ?? txid}\` | ${risk_level} | ${score} | ${detail_list.join(', ')} |`);
    }
  });
});
