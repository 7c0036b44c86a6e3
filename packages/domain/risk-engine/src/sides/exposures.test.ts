import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { label, type Named, scored } from '../graph.testing.ts';
import { hour, move, moves, movementsArb, type Row, seed } from '../movement.testing.ts';
import type { Exposure } from '../result.ts';
import type { Label, Movement, Side } from '../store.ts';

const known: Readonly<Record<string, Label>> = {
  thief: label('theft', 'Heist'),
  thief2: { ...label('theft', 'Heist'), source: 'other' },
  robber: label('theft', 'Robbery'),
  listed: label('sanctioned', 'Listed'),
  mixer: label('mixer', 'Tornado'),
  exchange: label('exchange'),
  router: label('defi'),
  bridge: label('bridge', 'A bridge'),
};

async function exposures(movements: readonly Movement[], side: Side = 'in', labels: Named = known): Promise<readonly Exposure[]> {
  return (await scored(movements, { labels })).exposures.filter((exposure) => exposure.side === side);
}

const pairs = (exposure: Exposure | undefined): string[] => (exposure?.path ?? []).map(({ from, to }) => `${from}>${to}`);

describe('an exposure', () => {
  it('is one line for an entity with all its addresses, beside the direct one', async () => {
    const rows: Row[] = [
      ['thief', 'm', 60],
      ['thief2', 'm', 40],
      ['m', 's', 100],
      ['thief', 's', 100],
      ['exchange', 's', 200],
    ];
    const [first, second] = await exposures(moves(rows));
    expect([first, second]).toMatchObject([
      { entity: 'Heist', exposure_type: 'direct', counterparty: 'thief', volume: 100, side_percent: 25, sources: ['other', 'test'] },
      { entity: 'Heist', exposure_type: 'indirect', counterparty: 'm', volume: 100, side_percent: 25, side: 'in' },
    ]);
    expect(pairs(second)).toEqual(['thief>m', 'm>s']);
  });

  it('has the path with transactions, times and coins, in the order of time on both sides', async () => {
    const rows: Row[] = [
      ['thief', 'a', 100],
      ['a', 'b', 100],
      ['b', 's', 100],
      ['s', 'c', 100],
      ['c', 'd', 100],
      ['d', 'robber', 100],
    ];
    const [received] = await exposures(moves(rows));
    expect(received?.path).toEqual(moves(rows).slice(0, 3));
    const [sent] = await exposures(moves(rows), 'out');
    expect(sent).toMatchObject({ entity: 'Robbery', side: 'out', counterparty: 'c', path: moves(rows).slice(3) });
  });

  it('shows the way by what came of the entity, not by what went through an address', async () => {
    const rows: Row[] = [
      ['exchange', 'broad', 900],
      ['thief', 'broad', 10],
      ['thief', 'narrow', 90],
      ['broad', 's', 910],
      ['narrow', 's', 90],
    ];
    expect(pairs((await exposures(moves(rows)))[0])).toEqual(['thief>narrow', 'narrow>s']);
  });

  it('shows the way through a swap, and through a service and back', async () => {
    const swap = (from: string, to: string, coin: string, position: number): Movement => ({
      ...move(5, from, to, 100),
      tx: 'swap',
      coin,
      position,
    });
    const legs = [move(0, 'thief', 'user', 100), swap('user', 'router', 'ETH', 0), swap('router', 's', 'USDC', 1)];
    expect(pairs((await exposures(legs))[0])).toEqual(['thief>user', 'user>router', 'router>s']);
    const back = moves([
      ['thief', 'm', 100],
      ['m', 'exchange', 100],
      ['exchange', 'm', 100],
      ['m', 's', 100],
    ]);
    expect(pairs((await exposures(back))[0])).toEqual(['thief>m', 'm>exchange', 'exchange>m', 'm>s']);
  });

  it('ends in a circle', async () => {
    const circle = Array.from({ length: 50 }, (): Row[] => [
      ['a', 'b', 100],
      ['b', 'a', 100],
    ]).flat();
    const [line] = await exposures(moves([['thief', 'a', 100], ...circle, ['a', 's', 100]]));
    expect(line?.path[0]).toMatchObject({ from: 'thief', to: 'a' });
    expect(line).toMatchObject({ side_percent: 100, hop_num: 102 });
    expect(line?.path).toHaveLength(20);
    expect(line?.path.at(-1)).toMatchObject({ from: 'a', to: 's' });
    expect(Object.entries(line?.hop_dic ?? {}).slice(-2)).toEqual([
      ['101', ['a']],
      ['102', ['Heist']],
    ]);
  });

  it('has its hops: 1 direct, and through others the addresses on the path with the entity at the end', async () => {
    const rows: Row[] = [
      ['thief', 'a', 100],
      ['a', 'b', 100],
      ['b', 's', 100],
      ['robber', 's', 50],
    ];
    expect(await exposures(moves(rows))).toMatchObject([
      { entity: 'Heist', hop_num: 3, hop_dic: { '1': ['b'], '2': ['a'], '3': ['Heist'] } },
      { entity: 'Robbery', hop_num: 1 },
    ]);
  });

  it.each(['in', 'out'] as const)('direct is listed however small (%s), and one of nothing is none', async (side) => {
    const pay = (other: string, usd: number): Row => (side === 'in' ? [other, 's', usd] : ['s', other, usd]);
    const [line, ...others] = await exposures(moves([pay('exchange', 2e8), pay('listed', 0.001), pay('thief', 0)]), side);
    expect([line, others]).toMatchObject([
      {
        entity: 'Listed',
        risk_type: 'sanctioned_entity',
        exposure_type: 'direct',
        hop_num: 1,
        volume: 0.01,
        side_percent: 0,
        counterparty: 'listed',
      },
      [],
    ]);
  });

  it('with a bridge is listed for what is not traced through it, without points', async () => {
    const rows: Row[] = [
      ['bridge', 's', 300],
      ['exchange', 's', 100],
      ['s', 'bridge', 200],
    ];
    expect(await scored(moves(rows), { labels: known })).toMatchObject({
      score: 3,
      exposures: [
        { side: 'in', entity: 'A bridge', risk_type: 'bridge', side_percent: 75, volume: 300, counterparty: 'bridge' },
        { side: 'out', entity: 'A bridge', risk_type: 'bridge', side_percent: 100, volume: 200 },
      ],
    });
  });

  it('traced is left out where it shows as 0 %', async () => {
    const rows: Row[] = [
      ['thief', 'm', 0.01],
      ['exchange', 'm', 1e6],
      ['m', 's', 1e6],
    ];
    expect(await exposures(moves(rows))).toEqual([]);
  });

  it('has the volume of its known values, and none where no value is known', async () => {
    const unknown: Row[] = [
      ['thief', 's', null],
      ['exchange', 's', null],
    ];
    expect(await exposures(moves(unknown))).toMatchObject([{ entity: 'Heist', volume: 0, side_percent: 50 }]);
    const mixed: Row[] = [
      ['thief', 's', null],
      ['thief', 's', 100],
    ];
    expect(await exposures(moves(mixed))).toMatchObject([{ entity: 'Heist', volume: 100, side_percent: 100 }]);
    const traced: Row[] = [
      ['thief', 'a', 200],
      ['a', 's', 100],
      ['a', 's', null],
    ];
    expect(await exposures(moves(traced))).toMatchObject([{ exposure_type: 'indirect', volume: 100, side_percent: 100 }]);
  });

  it('of a cent and a worthless token is a cent, whatever else came in', async () => {
    const salary = Array.from({ length: 3 }, (): Row => ['exchange', 's', 2_000]);
    const [line] = await exposures(moves([...salary, ['listed', 's', 0.01], ['listed', 's', null]]));
    expect(line).toMatchObject({ entity: 'Listed', exposure_type: 'direct', volume: 0.01 });
    expect(line?.side_percent).toBeGreaterThan(10);
  });

  it.each(['in', 'out'] as const)('to whom a suspicion alone calls sanctioned is none to a sanctioned entity (%s)', async (side) => {
    const row: Row = side === 'in' ? ['x', 's', 0.01] : ['s', 'x', 0.01];
    const found = async (confidence: number) => (await exposures(moves([row]), side, { x: label('sanctioned', 'X', confidence) }))[0];
    expect(await found(0.3)).toMatchObject({ category: 'sanctioned', suspected: true, risk_type: 'illicit_activity' });
    expect(await found(0.9)).toMatchObject({ category: 'sanctioned', suspected: false, risk_type: 'sanctioned_entity' });
  });

  it('of very many entities is named for the largest 64, and counts for all', async () => {
    const thieves = Array.from({ length: 100 }, (_, index) => `thief${index}`);
    const rows = thieves.map((thief, index): Row => [thief, 's', 1_000 + index]);
    const lines = await exposures(moves(rows), 'in', Object.fromEntries(thieves.map((thief) => [thief, label('theft', thief)])));
    expect(lines).toHaveLength(65);
    expect(lines.filter(({ entity }) => entity === 'Others (theft)')).toMatchObject([
      { category: 'theft', volume: 36 * 1_000 + (35 * 36) / 2 },
    ]);
    expect(lines.reduce((sum, { side_percent }) => sum + side_percent, 0)).toBeCloseTo(100, 2);
  });
});

it('for all transfers lines add up to 100 % at most, and paths join the entity to the subject in the order of time', async () => {
  const addresses = ['thief', 'robber', 'exchange', 'bridge', 's', 'a', 'b', 'c', 'd'];
  await fc.assert(
    fc.asyncProperty(movementsArb(addresses, 40, 40), fc.constantFrom<Side>('in', 'out'), async (movements, side) => {
      const lines = await exposures(movements, side);
      expect(lines.reduce((sum, { side_percent }) => sum + side_percent, 0)).toBeLessThanOrEqual(100.001);
      for (const { path, entity, hop_num } of lines) {
        expect(hop_num).toBeGreaterThanOrEqual(path.length);
        if (hop_num > path.length) continue;
        const [start, end] = [path[0]?.from ?? '', path.at(-1)?.to ?? ''];
        expect(side === 'in' ? [known[start]?.name, end] : [known[end]?.name, start]).toEqual([entity, 's']);
        path.slice(1).forEach(({ at, from }, index) => {
          expect(at).toBeGreaterThanOrEqual(path[index]?.at ?? Infinity);
          expect(at - (path[0]?.at ?? 0)).toBeLessThan(40 * hour);
          expect([path[index]?.to]).toContain(from);
        });
      }
    }),
    { seed, numRuns: 300 },
  );
});
