import { describe, expect, it } from 'vitest';
import { type Graph, label, rowsOf, scored } from './graph.testing.ts';
import { type RiskStore, scoreAddress } from './index.ts';
import { memoryStore } from './testing.ts';

/** All of the money passes down the line. */
function line(...addresses: readonly string[]): [string, string, number][] {
  return addresses.slice(1).map((to, index) => [addresses[index] ?? '', to, 100]);
}

describe('an indirect exposure', () => {
  const threeHops: Graph = { transfers: line('lazarus', 'x', 'y', 'subject'), labels: { lazarus: label('sanctioned', 'Lazarus') } };

  it('is found three hops away, with the path there', async () => {
    const result = await scored(threeHops);
    expect(result.exposures).toEqual([
      {
        entity: 'Lazarus',
        risk_type: 'sanctioned_entity',
        exposure_type: 'indirect',
        hop_num: 3,
        volume: 100,
        percent: 100,
        hop_dic: { '1': ['y'], '2': ['x'], '3': ['Lazarus'] },
        sources: ['test'],
      },
    ]);
    expect(result).toMatchObject({
      level: 'High',
      detail_list: ['Interact With Malicious Address'],
      address_label: '',
      coverage: 'transfers',
    });
    expect(result.contributions.map(({ key }) => key)).toEqual(['base', 'indirect:sanctioned']);
    expect(result.sides.in).toMatchObject({ risk: 1, services: 0, ends: 0, bound: 0, expanded: 3 });
    expect(result.sides.out).toMatchObject({ risk: 0, ends: 1 });
  });

  it('is found where money went to as well', async () => {
    const result = await scored({ ...threeHops, transfers: line('subject', 'y', 'x', 'lazarus') });
    expect(result.exposures).toMatchObject([{ entity: 'Lazarus', hop_num: 3, hop_dic: { '1': ['y'], '2': ['x'], '3': ['Lazarus'] } }]);
    expect(result.sides.out.risk).toBe(1);
  });

  it.each(['tron', 'bitcoin'])('is the same on %s: nothing depends on the chain or the coin', async (chain) => {
    expect(await scored({ ...threeHops, chain })).toEqual(await scored(threeHops));
  });

  it('is found at hop 7 and not at hop 8, where it is part of the bound', async () => {
    const labels = { thief: label('theft') };
    const seven = await scored({ transfers: line('thief', 'f', 'e', 'd', 'c', 'b', 'a', 'subject'), labels });
    expect(seven).toMatchObject({
      hacking_event: 'theft',
      exposures: [{ hop_num: 7, percent: 100 }],
      sides: { in: { risk: 1, bound: 0 } },
    });
    const eight = await scored({ transfers: line('thief', 'g', 'f', 'e', 'd', 'c', 'b', 'a', 'subject'), labels });
    expect(eight).toMatchObject({ score: 3, exposures: [], sides: { in: { risk: 0, bound: 1 } } });
  });

  it('is one line for an entity with several addresses, at the nearest hop, and only with those who carried something', async () => {
    const result = await scored({
      transfers: [
        ['a', 'subject', 60],
        ['b', 'subject', 30],
        ['c', 'subject', 10],
        ['thief1', 'a', 1],
        ['other', 'a', 1],
        ['thief2', 'b', 1],
        ['behind c', 'c', 1],
        ['thief1', 'behind c', 1],
      ],
      labels: { thief1: label('theft', 'Heist'), thief2: label('theft', 'Heist') },
    });
    expect(result.exposures).toMatchObject([
      { entity: 'Heist', exposure_type: 'indirect', hop_num: 2, percent: 70, volume: 70, hop_dic: { '1': ['a', 'b'], '2': ['Heist'] } },
    ]);
  });

  it('stands beside the direct one of the same entity, and nothing counts twice', async () => {
    const result = await scored({
      transfers: [
        ['thief', 'subject', 30],
        ['a', 'subject', 70],
        ['thief', 'a', 1],
      ],
      labels: { thief: label('theft', 'Heist') },
    });
    expect(result.exposures).toMatchObject([
      { exposure_type: 'indirect', hop_num: 2, percent: 70 },
      { exposure_type: 'direct', hop_num: 1, percent: 30, volume: 30 },
    ]);
  });

  it('lists at most ten addresses a hop, the largest first', async () => {
    const middle = Array.from({ length: 12 }, (_, index) => `m${index}`);
    const result = await scored({
      transfers: middle.flatMap((address, index) => [[address, 'subject', index + 1] as const, ['thief', address, 1] as const]),
      labels: { thief: label('theft') },
    });
    expect(result.exposures[0]?.hop_dic).toEqual({ '1': middle.toReversed().slice(0, 10), '2': ['theft'] });
  });

  it('shows the way by what came to the entity, not by what went through an address', async () => {
    const result = await scored({
      transfers: [
        ['broad', 'subject', 60],
        ['narrow', 'subject', 40],
        ['fan', 'broad', 1],
        ['pipe', 'narrow', 1],
        ['other', 'fan', 90],
        ['thief', 'fan', 10],
        ['thief', 'pipe', 1],
      ],
      labels: { thief: label('theft') },
    });
    expect(result.exposures[0]).toMatchObject({ percent: 46, hop_dic: { '1': ['narrow', 'broad'], '2': ['pipe', 'fan'], '3': ['theft'] } });
  });

  it('of very many entities the 200 largest are listed, and all count', async () => {
    const thieves = Array.from({ length: 250 }, (_, index) => `thief${index}`);
    const result = await scored({
      transfers: [...line('a', 'subject'), ...thieves.map((thief, index) => [thief, 'a', 1_000 + index] as const)],
      labels: Object.fromEntries(thieves.map((thief) => [thief, label('theft', thief)])),
    });
    expect(result.exposures).toHaveLength(200);
    expect(result.exposures.every(({ percent }) => percent >= 0.37)).toBe(true);
    const one = await scored({ transfers: line('thief', 'a', 'subject'), labels: { thief: label('theft') } });
    expect(result.score).toBe(one.score);
  });

  it('is no line where its share shows as zero, and part of the side all the same', async () => {
    const result = await scored({
      transfers: [...line('a', 'subject'), ['thief', 'a', 0.01], ['other', 'a', 1e6]],
      labels: { thief: label('theft') },
    });
    expect(result.exposures).toEqual([]);
    expect(result.sides.in.risk).toBeCloseTo(1e-8, 12);
  });

  it('ends at a service: a thief behind an exchange is not seen through it', async () => {
    const result = await scored({
      transfers: line('thief', 'exchange', 'x', 'subject'),
      labels: { thief: label('theft'), exchange: label('exchange') },
    });
    expect(result).toMatchObject({ score: 3, exposures: [], sides: { in: { risk: 0, services: 1, bound: 0 } } });
  });

  it('ends at the first bearer of a risk label: what is behind is not counted again', async () => {
    const result = await scored({
      transfers: line('thief', 'mixer', 'x', 'subject'),
      labels: { thief: label('theft'), mixer: label('mixer') },
    });
    expect(result.exposures).toMatchObject([{ entity: 'mixer', hop_num: 2, percent: 100 }]);
  });

  it('passes through an address with an ordinary label, and through one whose label has ended', async () => {
    const rows = rowsOf({
      transfers: line('thief', 'known', 'former', 'subject'),
      labels: { thief: label('theft'), known: label('ordinary') },
    });
    const former = { chain: 'ethereum', address: 'former', ...label('mixer'), valid_from: null, valid_to: 1_000 };
    const store = memoryStore({ ...rows, labels: [...rows.labels, former] });
    expect(await scoreAddress(store, 'ethereum', 'subject', 1_000)).toMatchObject({ exposures: [{ entity: 'theft', hop_num: 3 }] });
    expect(await scoreAddress(store, 'ethereum', 'subject', 999)).toMatchObject({ exposures: [{ entity: 'mixer', hop_num: 1 }] });
  });

  it('is measured without tokens at every hop', async () => {
    const result = await scored({
      transfers: [
        ['a', 'subject', 1],
        ['usdt', 'subject', 1_000],
        ['thief', 'a', 1],
        ['other', 'a', 1],
        ['usdt', 'a', 1_000],
      ],
      labels: { thief: label('theft'), usdt: label('token') },
    });
    expect(result).toMatchObject({ exposures: [{ entity: 'theft', percent: 50, volume: 0.5 }], sides: { in: { total: { usd: 1 } } } });
  });

  it('weighs unknown values as the average known one, over both sides of the subject', async () => {
    const result = await scored({
      transfers: [
        ['a', 'subject', null],
        ['other', 'subject', 50],
        ['subject', 'friend', 150],
        ['thief', 'a', null],
        ['thief', 'a', null],
        ['other', 'a', null],
        ['other', 'a', null],
      ],
      labels: { thief: label('theft') },
    });
    // The unknown transfer counts 100, a third of 300; half of it is the thief's.
    expect(result.exposures).toMatchObject([{ entity: 'theft', percent: 16.6667, volume: 33.33 }]);
    expect(result.sides.in.risk).toBeCloseTo(1 / 3, 9);
  });

  it('what came back to the subject ends there', async () => {
    const result = await scored({ transfers: line('subject', 'a', 'subject'), labels: { subject: label('theft') } });
    expect(result).toMatchObject({ exposures: [], sides: { in: { ends: 1, risk: 0 }, out: { ends: 1, risk: 0 } } });
  });

  it('brings a description from 1 % on, while a direct one always does', async () => {
    const behind = (share: number): Graph => ({
      transfers: [
        ['a', 'subject', share],
        ['other', 'subject', 100 - share],
        ['thief', 'a', 1],
      ],
      labels: { thief: label('theft') },
    });
    expect((await scored(behind(0.9))).detail_list).toEqual([]);
    expect((await scored(behind(0.9))).exposures).toMatchObject([{ percent: 0.9 }]);
    expect((await scored(behind(1))).detail_list).toEqual(['Interact With Malicious Address']);
    const direct = await scored({ ...behind(0.9), labels: { a: label('theft') } });
    expect(direct.detail_list).toEqual(['Interact With Malicious Address']);
  });

  it('a direct labelled counterparty is shown however small', async () => {
    const result = await scored({
      transfers: [
        ['thief', 'subject', 0.01],
        ['other', 'subject', 1e9],
      ],
      labels: { thief: label('theft') },
    });
    expect(result.exposures).toMatchObject([{ entity: 'theft', exposure_type: 'direct', volume: 0.01, percent: 0 }]);
  });

  it('names the incident: its own first, then the largest direct one, then the largest behind', async () => {
    const graph = {
      transfers: [
        ['small', 'subject', 1],
        ['a', 'subject', 60],
        ['b', 'subject', 39],
        ['big', 'a', 1],
        ['lesser', 'b', 1],
      ] as const,
      labels: { small: label('theft', 'Small'), big: label('theft', 'Big'), lesser: label('theft', 'Lesser') },
    };
    expect(await scored(graph)).toMatchObject({ hacking_event: 'Small' });
    const { small: _, ...behind } = graph.labels;
    expect(await scored({ ...graph, labels: behind })).toMatchObject({ hacking_event: 'Big' });
    expect(await scored({ ...graph, labels: { ...graph.labels, subject: label('theft', 'Own') } })).toMatchObject({ hacking_event: 'Own' });
  });

  it('a trace of a theft behind others is no incident, and still a line', async () => {
    const traced = (share: number) =>
      scored({
        transfers: [
          ['a', 'subject', 100],
          ['thief', 'a', share],
          ['other', 'a', 1 - share],
        ],
        labels: { thief: label('theft', 'Heist') },
      });
    expect(await traced(0.009)).toMatchObject({ hacking_event: '', exposures: [{ entity: 'Heist', percent: 0.9 }] });
    expect(await traced(0.01)).toMatchObject({ hacking_event: 'Heist' });
  });

  it('names every source that calls the entity so, once', async () => {
    const sourced = (source: string) => ({ ...label('mixer', 'Mix'), source });
    const result = await scored({
      transfers: [
        ['one', 'subject', 1],
        ['two', 'subject', 1],
        ['three', 'subject', 1],
      ],
      labels: { one: sourced('b'), two: sourced('a'), three: sourced('b') },
    });
    expect(result.exposures).toMatchObject([{ entity: 'Mix', sources: ['a', 'b'] }]);
  });

  it("rounding in a store's total is not taken for somebody left out", async () => {
    const memory = memoryStore(
      rowsOf({
        transfers: [
          ['usdt', 'subject', 1e12],
          ['a', 'subject', 0.01],
        ],
        labels: { usdt: label('token') },
      }),
    );
    const flows: RiskStore['flows'] = async (...asked) => {
      const found = await memory.flows(...asked);
      return new Map([...found].map(([address, { total, items }]) => [address, { items, total: { ...total, usd: total.usd + 0.001 } }]));
    };
    const { sides } = await scoreAddress({ ...memory, flows }, 'ethereum', 'subject', 0);
    expect(sides.in).toMatchObject({ total: { usd: 0.01, transfers: 1 }, bound: 0, ends: 1 });
  });

  it('hostile values neither break the sum nor the score', async () => {
    const result = await scored({
      transfers: [
        ['thief', 'subject', Number.MAX_VALUE],
        ['a', 'subject', Number.MAX_VALUE],
        ['subject', '__proto__', 5e-324],
        ['subject', 'b\u0000', null],
        ['subject', 'constructor', 0],
      ],
      labels: { thief: label('theft', '__proto__') },
    });
    expect(result.score).toBeGreaterThan(3);
    expect(Number.isFinite(result.sides.in.risk + result.sides.out.ends)).toBe(true);
  });
});
