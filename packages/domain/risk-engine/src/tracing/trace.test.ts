import { describe, expect, it } from 'vitest';
import { hour, move, moves, type Row } from '../movement.testing.ts';
import type { Movement } from '../store.ts';
import type { MoneyTrace, Terminal } from './result.ts';
import { ofRows, trace } from './trace.testing.ts';

/** `[kind, entity or address, usd by method in order, hops]`. */
const brief = ({ terminals }: MoneyTrace): unknown[] =>
  terminals.map(({ kind, entity, address, value, hops }) => [kind, entity || address, Object.values(value), hops]);

const found = ({ terminals }: MoneyTrace, name: string): Terminal | undefined =>
  terminals.find(({ entity, address }) => entity === name || address === name);

describe('a stolen million', () => {
  // Wallet a holds 500,000 from an exchange when the million comes.
  const theft: Row[] = [
    ['exchange', 'a', 500_000],
    ['thief', 'a', 1_000_000],
    ['a', 'b', 600_000],
    ['a', 'mixer', 900_000],
    ['b', 'exchange2', 450_000],
  ];

  it('by haircut, FIFO and poison', async () => {
    const traced = await ofRows(theft, 'thief');
    expect(traced).toMatchObject({
      direction: 'forward',
      unit: 'USD',
      value: 1_000_000,
      transfers: 1,
      unvalued_transfers: 0,
      unlisted_transfers: 0,
    });
    // Haircut: two thirds of each payment. FIFO: the first 500,000 out are the exchange's, so 100,000 reach b, and leave last.
    expect(brief(traced)).toEqual([
      ['service', 'Tornado.Cash', [600_000, 900_000, 900_000], 2],
      ['service', 'Binance', [300_000, 0, 450_000], 3],
      ['held', 'b', [100_000, 100_000, 150_000], 2],
    ]);
    expect(traced.bound).toEqual({ haircut: 0, fifo: 0 });
    expect(traced.not_followed).toEqual({ addresses: 0, value: { haircut: 0, fifo: 0, poison: 0 } });
  });

  it('shows the path with its transactions', async () => {
    const movements = moves(theft).map((each) => ({ ...each, amount: '1.5' }));
    const { path, path_value, method } = found(await trace(movements, 'thief'), 'Binance') as Terminal;
    expect({ method, path_value }).toEqual({ method: 'haircut', path_value: 300_000 });
    expect(path).toEqual([
      {
        txid: 'tx1',
        time: '1970-01-01T01:00:00.000Z',
        coin: 'ETH',
        amount: '1.5',
        usd: 1_000_000,
        traced: 1_000_000,
        from: 'thief',
        to: 'a',
      },
      { txid: 'tx2', time: '1970-01-01T02:00:00.000Z', coin: 'ETH', amount: '1.5', usd: 600_000, traced: 400_000, from: 'a', to: 'b' },
      {
        txid: 'tx4',
        time: '1970-01-01T04:00:00.000Z',
        coin: 'ETH',
        amount: '1.5',
        usd: 450_000,
        traced: 300_000,
        from: 'b',
        to: 'exchange2',
      },
    ]);
  });

  it('backward from where it went', async () => {
    const traced = await ofRows(theft, 'b', { direction: 'backward' });
    expect(traced.value).toBe(600_000);
    expect(brief(traced)).toEqual([
      ['service', 'Binance', [200_000, 500_000, 500_000], 2],
      ['risk', 'LIFI exploiter', [400_000, 100_000, 1_000_000], 2],
    ]);
    expect(found(traced, 'LIFI exploiter')?.path.map(({ txid }) => txid)).toEqual(['tx1', 'tx2']);
  });

  it('by one method', async () => {
    const traced = await ofRows(theft, 'thief', { methods: ['fifo'] });
    expect(brief(traced)).toEqual([
      ['service', 'Tornado.Cash', [900_000], 2],
      ['held', 'b', [100_000], 2],
    ]);
    expect(traced.terminals[0]?.method).toBe('fifo');
    expect(traced.bound).toEqual({ fifo: 0 });
  });

  it('of the transfers in a time', async () => {
    const twice: Row[] = [...theft, ['thief', 'c', 7, 10], ['thief', 'c', 8, 11]];
    expect(await ofRows(twice, 'thief', { since: 10 * hour, until: 10 * hour })).toMatchObject({ value: 7, transfers: 1 });
    expect(brief(await ofRows(twice, 'thief', { since: 10 * hour }))).toEqual([['held', 'c', [15, 15, 15], 1]]);
    expect((await ofRows(twice, 'thief', { until: 9 * hour })).value).toBe(1_000_000);
  });
});

describe('where a trail ends', () => {
  it('at an entity with all of its addresses; one of another kind of crime, and never at a wallet of the same case', async () => {
    const traced = await ofRows(
      [
        ['thief', 'partner', 300],
        ['partner', 'exchange', 100],
        ['partner', 'exchange2', 120],
        ['partner', 'listed', 80],
        ['listed', 'exchange', 80],
      ],
      'thief',
    );
    expect(brief(traced)).toEqual([
      ['service', 'Binance', [220, 220, 220], 2],
      ['risk', 'Listed person', [80, 80, 80], 2],
    ]);
    expect(found(traced, 'Binance')).toMatchObject({ address: 'exchange2', addresses: 2, path_value: 120, category: 'exchange' });
  });

  it('where the money comes back, and where it stays', async () => {
    const rows: Row[] = [
      ['thief', 'a', 100],
      ['a', 'thief', 40],
    ];
    expect(brief(await ofRows(rows, 'thief'))).toEqual([
      ['held', 'a', [60, 60, 60], 1],
      ['subject', 'LIFI exploiter', [40, 40, 40], 2],
    ]);
  });

  it('backward, at money that no known transfer brought', async () => {
    const rows: Row[] = [
      ['exchange', 'a', 30],
      ['a', 'user', 100],
    ];
    expect(brief(await ofRows(rows, 'user', { direction: 'backward' }))).toEqual([
      ['unexplained', 'a', [70, 70, 70], 1],
      ['service', 'Binance', [30, 30, 30], 2],
    ]);
  });

  it('at an address with more transfers than are read, as a hub, which bounds the others', async () => {
    const many = Array.from({ length: 1_200 }, (_, index) => move(10 + index, `p${index}`, 'hub', 5)).concat(
      Array.from({ length: 1_200 }, (_, index) => move(10 + index, 'hub', `q${index}`, 5, { position: 1 })),
    );
    const traced = await trace([move(1, 'thief', 'hub', 25), move(2, 'thief', 'a', 75), ...many], 'thief');
    expect(brief(traced)).toEqual([
      ['held', 'a', [75, 75, 75], 1],
      ['hub', 'hub', [25, 25, 25], 1],
    ]);
    expect(traced.bound).toEqual({ haircut: 0.25, fifo: 0.25 });
  });

  it('where the budget ends: with less, what was not followed grows, and bounds the rest', async () => {
    const line: Row[] = Array.from({ length: 30 }, (_, index): Row => [index === 0 ? 'thief' : `w${index}`, `w${index + 1}`, 100]);
    const whole = await ofRows(line, 'thief');
    expect(brief(whole)).toEqual([['held', 'w30', [100, 100, 100], 30]]);
    expect(found(whole, 'w30')?.path).toHaveLength(20);
    const cut = await ofRows(line, 'thief', { limits: { most_addresses: 10 } });
    expect(cut).toMatchObject({ terminals: [], not_followed: { addresses: 1, value: { haircut: 100 } }, bound: { haircut: 1, fifo: 1 } });
    expect(cut.read.addresses).toBe(10);
  });

  it('an unknown address has no trace', async () => {
    expect(await ofRows([], 'thief')).toMatchObject({ value: 0, transfers: 0, terminals: [], bound: { haircut: 0, fifo: 0 } });
  });

  it('counts transfers of unknown value, and does not follow them', async () => {
    const traced = await ofRows(
      [
        ['thief', 'a', null],
        ['thief', 'b', 5],
      ],
      'thief',
    );
    expect(traced).toMatchObject({ value: 5, transfers: 1, unvalued_transfers: 1 });
  });
});

describe('swaps', () => {
  const swap = (at: number, payer: string, payee: string, coin: string, usd = 100): Movement[] => [
    move(at, payer, 'router', usd, { coin: 'ETH' }),
    move(at, 'router', payee, usd * 0.99, { coin, position: 1 }),
  ];

  it('are followed to who receives the other coin', async () => {
    const traced = await trace([move(0, 'thief', 'a', 100), ...swap(1, 'a', 'b', 'USDC'), move(2, 'b', 'exchange', 99)], 'thief');
    expect(brief(traced)).toEqual([
      ['service', 'Binance', [99, 99, 99], 4],
      ['service', 'Uniswap', [1, 1, 1], 2],
    ]);
    expect(found(traced, 'Binance')?.path.map(({ coin, from, to }) => [from, to, coin])).toEqual([
      ['thief', 'a', 'ETH'],
      ['a', 'router', 'ETH'],
      ['router', 'b', 'USDC'],
      ['b', 'exchange', 'ETH'],
    ]);
  });

  it('backward too', async () => {
    const movements = [move(0, 'thief', 'a', 100), ...swap(1, 'a', 'b', 'USDC'), move(2, 'b', 'user', 99)];
    expect(brief(await trace(movements, 'user', { direction: 'backward' }))).toEqual([['risk', 'LIFI exploiter', [99, 99, 100], 4]]);
  });

  it('of the address itself do not count its money twice', async () => {
    const traced = await trace([...swap(1, 'thief', 'thief', 'USDC'), move(2, 'thief', 'exchange', 99)], 'thief');
    expect(brief(traced)).toEqual([
      ['service', 'Binance', [99, 99, 99], 1],
      ['service', 'Uniswap', [1, 1, 1], 1],
    ]);
  });

  it('into a wrapped coin leave the money with who wraps it', async () => {
    const traced = await ofRows(
      [
        ['thief', 'a', 100],
        ['a', 'weth', 100],
        ['a', 'exchange', 100],
      ],
      'thief',
    );
    expect(brief(traced)).toEqual([['service', 'Binance', [100, 100, 100], 2]]);
  });
});

describe('one transaction', () => {
  const inOne = (legs: readonly (readonly [from: string, to: string, usd: number, coin: string])[]): Movement[] =>
    legs.map(([from, to, usd, coin], position) => ({ ...move(2, from, to, usd), coin, position }));

  it('that pays out more than was paid in has as much of it as was paid in', async () => {
    const legs = inOne([
      ['a', 'router', 1_000_000, 'ETH'],
      ['router', 'b', 4_000_000, 'USDT'],
    ]);
    const movements = [move(0, 'thief', 'a', 1_000_000), ...legs];
    expect(brief(await trace(movements, 'thief'))).toEqual([['held', 'b', [1_000_000, 1_000_000, 4_000_000], 3]]);
    const back = await trace(movements, 'b', { direction: 'backward' });
    expect(found(back, 'LIFI exploiter')?.value).toMatchObject({ haircut: 1_000_000, fifo: 1_000_000 });
  });

  it('that borrows and pays back dilutes nothing', async () => {
    const legs = inOne([
      ['lender', 'contract', 90_000_000, 'ETH'],
      ['a', 'contract', 1_000_000, 'ETH'],
      ['contract', 'b', 1_000_000, 'ETH'],
      ['contract', 'lender', 90_000_000, 'ETH'],
    ]);
    const traced = await trace([move(0, 'exchange', 'lender', 90_000_000), move(0, 'thief', 'a', 1_000_000), ...legs], 'thief');
    expect(brief(traced)).toEqual([['held', 'b', [1_000_000, 1_000_000, 1_000_000], 3]]);
  });
});
