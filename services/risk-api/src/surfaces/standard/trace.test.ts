import type { TransferRow } from '@weir/chain-import';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadLabels, loadTransfers } from '../../index.ts';
import { failure, standardKey } from '../../testing/calls.ts';
import { type Answer, get, type Instance, startInstance, type TestService } from '../../testing/instance.ts';
import { labelRow } from '../../testing/label-row.ts';

const a = (n: number): string => `0xe${n.toString(16).padStart(39, '0')}`;
const [thief, wallet, mule, exchange, otherExchange, mixer, router, merchant] = Array.from({ length: 8 }, (_, n) => a(n + 1)) as [
  string,
  string,
  string,
  string,
  string,
  string,
  string,
  string,
];
const start = Date.UTC(2026, 0, 30) / 1_000;
const txOf = (minute: number): string => `0x${minute.toString(16).padStart(64, '0')}`;

const transfer = (minute: number, from_address: string, to_address: string, usd: number, more: Partial<TransferRow> = {}): TransferRow => ({
  chain: 'ethereum',
  txid: txOf(minute),
  position: 0,
  from_address,
  to_address,
  coin: 'ETH',
  amount: String(usd / 2_500),
  usd_value: String(usd),
  time: new Date((start + minute * 60) * 1_000).toISOString(),
  source: 'test',
  ...more,
});

/** The wallet holds 500,000 of its own when the stolen million comes. Of it the mule swaps and cashes out. */
const transfers = [
  transfer(1, exchange, wallet, 500_000),
  transfer(2, thief, wallet, 1_000_000),
  transfer(3, wallet, mule, 600_000),
  transfer(4, wallet, mixer, 900_000),
  transfer(5, mule, router, 300_000),
  transfer(5, router, mule, 300_000, { coin: 'USDT-ERC20', amount: '300000', position: 1 }),
  transfer(6, mule, otherExchange, 450_000, { coin: 'USDT-ERC20', amount: '450000' }),
  transfer(9, thief, merchant, 0, { amount: '1', usd_value: null }),
  // Later money of the wallet is its own.
  transfer(7, exchange, wallet, 70_000),
  transfer(8, wallet, merchant, 70_000),
];

let service: TestService;
let instance: Instance;
let keys: { standard: string };

beforeAll(async () => {
  ({ service, instance, keys } = await startInstance({ keys: { standard: standardKey } }));
  await loadLabels(service.database.pool, [
    labelRow(thief, 'theft', 'Vault exploiter'),
    labelRow(exchange, 'exchange', 'First Exchange'),
    labelRow(otherExchange, 'exchange', 'Second Exchange'),
    labelRow(mixer, 'mixer', 'Blender'),
    labelRow(router, 'defi', 'Swapper'),
  ]);
  await loadTransfers(service.database.pool, transfers.toReversed());
});
afterAll(() => service.stop());

const ask = (query: Record<string, string>): Promise<Answer> =>
  get(`${instance.url}/v1/address_trace`, { coin: 'ETH', api_key: keys.standard, ...query });

interface Told {
  readonly kind: string;
  readonly entity: string;
  readonly address: string;
  readonly value: object;
  readonly hops: number;
  readonly path: readonly { readonly txid: string }[];
}
const brief = ({ body }: Answer): unknown[] =>
  (body.data.trace.terminals as Told[]).map(({ kind, entity, address, value, hops }) => [kind, entity || address, value, hops]);

describe('address_trace', () => {
  it('says where stolen money went, by the three methods side by side', async () => {
    const answer = await ask({ address: thief });
    expect(answer.body.data).toMatchObject({
      malicious_event: { stealing: { count: 1, stealing_list: ['Vault exploiter'] } },
      trace: { direction: 'forward', unit: 'USD', value: 1_000_000, transfers: 1, bound: { haircut: 0, fifo: 0 }, read: { addresses: 2 } },
    });
    // The mule holds 500,000 of others and then 100,000 of the thief. The swap puts the first 300,000 behind them.
    expect(brief(answer)).toEqual([
      ['service', 'Blender', { haircut: 600_000, fifo: 900_000, poison: 900_000 }, 2],
      ['service', 'Second Exchange', { haircut: 300_000, fifo: 100_000, poison: 450_000 }, 3],
      ['held', mule, { haircut: 100_000, fifo: 0, poison: 150_000 }, 2],
    ]);
    // The merchant gets nothing but by poison, and is not read for that.
    expect(answer.body.data.trace.not_followed).toEqual({ addresses: 1, value: { haircut: 0, fifo: 0, poison: 70_000 } });
  });

  it('shows the main path with its transactions', async () => {
    const { body } = await ask({ address: thief, method: 'haircut' });
    expect(body.data.trace.terminals[1].path.slice(0, 2)).toEqual([
      { txid: txOf(2), time: '2026-01-30T00:02:00.000Z', coin: 'ETH', amount: '400', usd: 1e6, traced: 1e6, from: thief, to: wallet },
      {
        txid: txOf(3),
        time: '2026-01-30T00:03:00.000Z',
        coin: 'ETH',
        amount: '240',
        usd: 600_000,
        traced: 400_000,
        from: wallet,
        to: mule,
      },
    ]);
  });

  it('says where the money of a customer came from', async () => {
    const answer = await ask({ address: merchant, direction: 'backward' });
    expect(brief(answer)).toEqual([
      ['service', 'First Exchange', { haircut: 70_000, fifo: 70_000, poison: 570_000 }, 2],
      ['risk', 'Vault exploiter', { haircut: 0, fifo: 0, poison: 1_000_000 }, 2],
    ]);
  });

  it('of the transfers in the time asked for, its last second included', async () => {
    const at = String(start + 2 * 60);
    expect((await ask({ address: thief, start_timestamp: at, end_timestamp: at })).body.data.trace.value).toBe(1_000_000);
    const before = String(start + 2 * 60 - 1);
    expect((await ask({ address: thief, end_timestamp: before })).body.data.trace).toMatchObject({ value: 0, terminals: [] });
  });

  it('in a coin, through transfers of it alone, also those of unknown value', async () => {
    const answer = await ask({ address: thief, unit: 'coin', method: 'haircut' });
    expect(answer.body.data.trace).toMatchObject({ unit: 'ETH', value: 401, unvalued_transfers: 0 });
    expect((await ask({ address: thief })).body.data.trace.unvalued_transfers).toBe(1);
    // The mule's dollars are another coin, so the trail ends in the swap.
    expect(brief(answer)).toEqual([
      ['service', 'Blender', { haircut: 240 }, 2],
      ['held', mule, { haircut: 80 }, 2],
      ['service', 'Swapper', { haircut: 80 }, 3],
      ['held', merchant, { haircut: 1 }, 1],
    ]);
    expect(answer.body.data.trace.terminals[3].path).toMatchObject([{ amount: '1', usd: null, traced: 1 }]);
  });

  it('of an unknown address is empty', async () => {
    expect((await ask({ address: a(99) })).body.data.trace).toMatchObject({
      value: 0,
      transfers: 0,
      terminals: [],
      bound: { haircut: 0, fifo: 0 },
    });
  });

  it.each([
    ['direction', { direction: 'sideways' }],
    ['method', { method: 'guess' }],
    ['time', { start_timestamp: '9', end_timestamp: '8' }],
  ])('refuses an unknown %s', async (_, query) => {
    expect(await ask({ address: thief, ...query })).toMatchObject({ status: 400, body: failure('InvalidParameter') });
  });
});
