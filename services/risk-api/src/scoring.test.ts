import { ManualClock } from '@weir/clock';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TransferRow } from '@weir/chain-import';
import { loadLabels, loadTransfers } from './index.ts';
import { createTestService, type Instance, post, resultOf, type TestService } from './testing/instance.ts';
import { labelRow } from './testing/label-row.ts';

const today = Date.UTC(2026, 5, 1);
let service: TestService;
let instance: Instance;
let key: string;

const a = (n: number): string => `0x${n.toString(16).padStart(40, '0')}`;
const tx = (n: number): string => `0x${n.toString(16).padStart(64, '0')}`;
const [thief, listed, delisted, notYet, exchange, user, customer, dusted, quiet, token, mixed] = Array.from({ length: 11 }, (_, i) =>
  a(1000 + i),
) as [string, string, string, string, string, string, string, string, string, string, string];
const zero = a(0);

let position = 0;
const transfer = (txid: string, from_address: string, to_address: string, usd_value: string | null): TransferRow => ({
  chain: 'ethereum',
  txid,
  position: position++,
  from_address,
  to_address,
  coin: 'ETH',
  amount: null,
  usd_value,
  time: '2025-01-01T00:00:00Z',
  source: 'test',
});

beforeAll(async () => {
  service = await createTestService();
  instance = await service.start({ clock: new ManualClock(today) });
  key = await service.key({ surface: 'standard' });
  await loadLabels(service.database.pool, [
    labelRow(thief, 'theft', 'Bridge Heist'),
    labelRow(listed, 'sanctioned', 'Listed Corp'),
    labelRow(listed, 'exchange', 'Listed Exchange', { source: 'other' }),
    labelRow(delisted, 'sanctioned', 'Once Listed', { valid_from: '2022-09-03', valid_to: '2025-03-22' }),
    labelRow(notYet, 'sanctioned', 'Listed Tomorrow', { valid_from: '2026-06-02' }),
    labelRow(exchange, 'exchange', 'Good Exchange'),
    labelRow(token, 'token', 'USDT'),
    labelRow(zero, 'sanctioned', 'Null Address'),
  ]);
  await loadTransfers(service.database.pool, [
    transfer(tx(1), thief, user, '9000'),
    transfer(tx(2), user, exchange, '1000'),
    transfer(tx(3), thief, exchange, '5000'),
    transfer(tx(4), listed, customer, '50'),
    transfer(tx(5), exchange, customer, '9950'),
    transfer(tx(6), listed, dusted, null),
    transfer(tx(7), quiet, dusted, null),
    transfer(tx(8), zero, quiet, '10'),
    transfer(tx(9), thief, mixed, '1'),
    transfer(tx(9), quiet, mixed, '99'),
    transfer(tx(9), token, exchange, '500'),
  ]);
});
afterAll(() => service.stop());

async function score(subject: Record<string, string>) {
  const { body } = await post(`${instance.url}/v3/risk_score_create_task`, { coin: 'ETH', ...subject, api_key: key });
  return (await resultOf(instance.url, key, body.data.task_id)).data;
}

describe('an address', () => {
  it('by its own label', async () => {
    expect(await score({ address: thief })).toMatchObject({
      score: 97,
      risk_level: 'Severe',
      address_label: 'Bridge Heist',
      hacking_event: 'Bridge Heist',
      detail_list: ['Malicious Address', 'Involved Theft Activity'],
      coverage: 'full',
    });
    expect(await score({ address: listed })).toMatchObject({
      score: 100,
      risk_level: 'Severe',
      address_label: 'Listed Corp',
      risk_detail: [],
    });
  });

  it('by whom it deals with', async () => {
    expect(await score({ address: user })).toEqual({
      score: 91,
      hacking_event: 'Bridge Heist',
      detail_list: ['Interact With Malicious Address'],
      risk_level: 'Severe',
      risk_detail: [
        {
          entity: 'Bridge Heist',
          risk_type: 'illicit_activity',
          exposure_type: 'direct',
          hop_num: 1,
          volume: 9000,
          percent: 90,
          side: 'in',
          side_percent: 100,
          counterparty: thief,
          sources: ['test'],
          path: [{ txid: tx(1), time: '2025-01-01T00:00:00.000Z', coin: 'ETH', amount: null, usd: 9000, from: thief, to: user }],
          path_left_out: 0,
        },
      ],
      address_label: '',
      contradictions: [],
      risk_report_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/v1\/risk_report\?access_token=[\w.-]{50,}$/),
      coverage: 'transfers',
      illicit_usd: 9000,
      bound: 0,
      contributions: [
        { key: 'base', points: 3 },
        { key: 'in:direct:theft', points: 88 },
      ],
      counterfactuals: [{ without: 'in:direct:theft', score: 3, risk_level: 'Low' }],
      sides: {
        in: {
          coverage: 'transfers',
          transfers: 1,
          usd: 9000,
          counted: true,
          score: 91,
          upper_score: 91,
          direct: 1,
          traced: 0,
          unread: 0,
          addresses: 1,
        },
        out: {
          coverage: 'transfers',
          transfers: 1,
          usd: 1000,
          counted: true,
          score: 3,
          upper_score: 3,
          direct: 0,
          traced: 0,
          unread: 0,
          addresses: 1,
        },
      },
    });
    expect(await score({ address: customer })).toMatchObject({
      risk_level: 'Low',
      risk_detail: [{ entity: 'Listed Corp', risk_type: 'sanctioned_entity', percent: 0.5 }],
    });
  });

  it('where no value is known, by the number of transfers', async () => {
    expect(await score({ address: dusted })).toMatchObject({ risk_level: 'High', risk_detail: [{ volume: 0, percent: 50 }] });
  });

  it('an exchange is not its customers', async () => {
    expect(await score({ address: exchange })).toMatchObject({
      score: 3,
      risk_level: 'Low',
      address_label: 'Good Exchange',
      risk_detail: [],
    });
  });

  it.each([
    ['delisted', delisted],
    ['listed from tomorrow', notYet],
    ['nobody', zero],
  ])('%s: as if there were no label', async (_name, address) => {
    expect(await score({ address })).toMatchObject({ score: 3, risk_level: 'Low', address_label: '', coverage: 'none' });
  });
});

describe('a transaction', () => {
  it('by its sender for a deposit, by its receiver for a withdrawal', async () => {
    const deposit = {
      score: 97,
      address_label: 'Bridge Heist',
      risk_detail: [
        { entity: 'Bridge Heist', risk_type: 'illicit_activity', exposure_type: 'direct', hop_num: 1, volume: 5000, percent: 100 },
      ],
    };
    expect(await score({ txid: tx(3) })).toMatchObject(deposit);
    expect(await score({ txid: tx(3), direction: 'deposit' })).toMatchObject(deposit);
    expect(await score({ txid: tx(3), direction: 'withdraw' })).toMatchObject({
      score: 3,
      address_label: 'Good Exchange',
      risk_detail: [],
      coverage: 'full',
    });
  });

  it('with several senders by the worst, tokens aside', async () => {
    expect(await score({ txid: tx(9) })).toMatchObject({ score: 97, risk_level: 'Severe', address_label: 'Bridge Heist' });
  });

  it('from nobody, and not known at all', async () => {
    expect(await score({ txid: tx(8) })).toMatchObject({ score: 3, coverage: 'none' });
    expect(await score({ txid: tx(99) })).toMatchObject({
      score: 3,
      risk_level: 'Low',
      detail_list: [],
      risk_detail: [],
      coverage: 'none',
    });
  });
});
