import { expect, test } from 'vitest';
import { nodeSize, place } from '../../services/console/web/src/graph/layout.ts';
import { graphOf } from '../../services/console/web/src/graph/model.ts';
import { decimal, isKnownAmount } from '../../services/console/web/src/words/format.ts';

type Row = Parameters<typeof graphOf>[0][number];

const hop = (from: string, to: string, n = 0) => ({
  txid: `0x${from}${to}${n}`,
  time: `2026-01-0${n + 1}T00:00:00Z`,
  coin: 'ETH',
  amount: '1.5',
  usd: 4_500,
  from,
  to,
});

/** Money of `places`, in their order. */
function way(places: readonly string[], more: Partial<Row> = {}): Row {
  const path = places.slice(1).map((to, n) => hop(places[n] ?? '', to, n));
  return {
    entity: `entity of ${places[0]}`,
    risk_type: 'mixer',
    exposure_type: 'indirect',
    hop_num: path.length,
    volume: 100,
    percent: 10,
    side: 'in',
    counterparty: null,
    path,
    ...more,
  };
}

const all = { leastUsd: 0, unfolded: new Set<number>() };
const kinds = (rows: readonly Row[], options = all): Record<string, string> =>
  Object.fromEntries(graphOf(rows, 's', options).nodes.map(({ id, kind }) => [id, kind]));

test('ways that share places and transfers are drawn once', () => {
  const graph = graphOf([way(['mixer', 'a', 's']), way(['thief', 'a', 's'])], 's', all);
  expect(graph.nodes.map(({ id, kind }) => [id, kind])).toEqual([
    ['s', 'subject'],
    ['mixer', 'entity'],
    ['a', 'address'],
    ['thief', 'entity'],
  ]);
  expect(graph.edges.map(({ from, to, hops }) => [from, to, hops.length])).toEqual([
    ['mixer', 'a', 1],
    ['a', 's', 1],
    ['thief', 'a', 1],
  ]);
});

test('money that was sent goes away from the subject', () => {
  const graph = graphOf([way(['s', 'a', 'shop'], { side: 'out', entity: 'shop' })], 's', all);
  expect(graph.nodes.map(({ id, kind, exposures }) => [id, kind, exposures.length])).toEqual([
    ['s', 'subject', 0],
    ['shop', 'entity', 1],
    ['a', 'address', 0],
  ]);
});

test('ways that were followed from a place hang on it, whether their transfers are known or not, and change no number of others', () => {
  const rows = [way(['mixer', 'a', 's'])];
  const followed = [
    { of: 'mixer', row: way(['thief', 'b', 'mixer'], { entity: 'thief' }) },
    { of: 'a', row: way(['a', 'shop'], { side: 'out', entity: 'shop' }) },
    { of: 'a', row: way([], { side: 'out', hop_num: 0, path: [] }) },
  ];
  const graph = graphOf(rows, 's', { ...all, followed });
  expect(graph.edges.map(({ from, to }) => `${from} ${to}`)).toEqual(['mixer a', 'a s', 'thief b', 'b mixer', 'a shop', 'a entity -3']);
  expect(graph.nodes.filter(({ kind }) => kind === 'subject').map(({ id }) => id)).toEqual(['s']);
  expect(graph.nodes.filter(({ kind }) => kind === 'end').map(({ id }) => id)).toEqual(['thief', 'shop', 'entity -3']);
  expect(graph.nodes.find(({ id }) => id === 'mixer')).toMatchObject({ kind: 'entity', followed: [] });
  const long = { of: 'a', row: way(['x', ...Array.from({ length: 30 }, (_, n) => `x${n}`), 'a']) };
  const folded = graphOf(rows, 's', { ...all, followed: [...followed, long] });
  expect(folded.nodes.filter(({ kind }) => kind === 'folded')).toMatchObject([{ way: -4, hidden: 31 }]);
  // A larger part of another place's money folds no way of the subject.
  const own = [
    way(['mixer', 'a', 's'], { percent: 60 }),
    way(['far', ...Array.from({ length: 19 }, (_, n) => `f${n}`), 's'], { percent: 5 }),
  ];
  const large = { of: 'f3', row: way(['y', ...Array.from({ length: 12 }, (_, n) => `y${n}`), 'f3'], { percent: 90 }) };
  const drawn = graphOf(own, 's', { ...all, followed: [large] });
  expect(drawn.nodes.filter(({ kind }) => kind === 'folded').map(({ way: number }) => number)).toEqual([-1]);
});

test('the case of an EVM address makes no second place', () => {
  expect(kinds([way(['0xAB', '0xc', '0xS']), way(['0xab', '0xC', '0xs'])])).toEqual({
    '0xs': 'subject',
    '0xab': 'entity',
    '0xc': 'address',
  });
});

test('an exposure without transfers is linked by its number of hops, over the counterparty where that is known', () => {
  const far = way([], { hop_num: 4, path: [], counterparty: 'next' });
  const none = way([], { hop_num: 3, path: [] });
  const direct = way([], { hop_num: 1, path: [], counterparty: 'shop', side: 'out' });
  expect(graphOf([far, none, direct], 's', all).edges).toEqual([
    { from: 'entity 0', to: 'next', hops: [], unknown: 3 },
    { from: 'next', to: 's', hops: [], unknown: 1 },
    { from: 'entity 1', to: 's', hops: [], unknown: 3 },
    { from: 's', to: 'shop', hops: [], unknown: 1 },
  ]);
  expect(kinds([none], all)).toEqual({ s: 'subject', 'entity 0': 'entity' });
});

test('exposures of less than the least value are left out and counted, those of unknown value stay', () => {
  const graph = graphOf([way(['a', 's'], { volume: 99 }), way(['b', 's'], { volume: 100 }), way(['c', 's'], { volume: null })], 's', {
    ...all,
    leastUsd: 100,
  });
  expect({ dust: graph.dust, nodes: graph.nodes.map(({ id }) => id) }).toEqual({ dust: 1, nodes: ['s', 'b', 'c'] });
});

test('after thirty transfers the smaller ways are folded, until somebody unfolds one', () => {
  const long = (name: string, percent: number): Row =>
    way([name, ...Array.from({ length: 18 }, (_, n) => `${name}${n}`), 's'], { percent });
  const rows = [long('small', 1), long('large', 50), way(['short', 'x', 's'], { percent: 0.1 })];
  const folded = graphOf(rows, 's', all);
  expect(folded.nodes.filter(({ kind }) => kind === 'folded')).toMatchObject([{ id: 'folded 0', way: 0, hidden: 19 }]);
  expect(folded.nodes.some(({ id }) => id === 'large17')).toBe(true);
  expect(folded.nodes.some(({ id }) => id === 'x')).toBe(true);
  const open = graphOf(rows, 's', { ...all, unfolded: new Set([0]) });
  expect(open.nodes.filter(({ kind }) => kind === 'folded')).toEqual([]);
  expect(open.nodes.some(({ id }) => id === 'small17')).toBe(true);
});

test('money that comes back to its place does not end the drawing', () => {
  const round = way(['a', 'b', 'a', 's'], { path: [hop('a', 'b', 1), hop('b', 'a', 2), hop('a', 'a', 3), hop('a', 's', 4)] });
  expect(graphOf([round], 's', all).edges.map(({ from, to }) => `${from}${to}`)).toEqual(['ab', 'ba', 'as']);
  expect(place(graphOf([round], 's', all)).nodes).toHaveLength(3);
});

test('five hundred places are laid out inside the drawing, and none hides another', () => {
  const rows = Array.from({ length: 125 }, (_, n) => way([`e${n}`, `a${n}`, `b${n}`, `c${n % 124}`, 's'], { percent: n }));
  const graph = graphOf(rows, 's', { ...all, unfolded: new Set(rows.keys()) });
  expect(graph.nodes).toHaveLength(500);
  const from = performance.now();
  const { nodes, width, height } = place(graph);
  process.stdout.write(`${nodes.length} places laid out in ${Math.round(performance.now() - from)} ms\n`);
  const outside = nodes.filter(
    ({ x, y }) => x < nodeSize.width / 2 || y < nodeSize.height / 2 || x > width - nodeSize.width / 2 || y > height - nodeSize.height / 2,
  );
  expect(outside).toEqual([]);
  const places = new Set(nodes.map(({ x, y }) => `${Math.round(x / nodeSize.width)} ${Math.round(y / nodeSize.height)}`));
  expect(places.size).toBe(nodes.length);
});

test('an amount that is not known or too small is not shown as zero', () => {
  expect([null, '0', '0.000', '0.00001'].map(isKnownAmount)).toEqual([false, false, false, true]);
  expect(['0.00001', '0.0001', '0', '1234.00001'].map((amount) => decimal(amount, 4))).toEqual(['<0.0001', '0.0001', '0', '1,234']);
});
