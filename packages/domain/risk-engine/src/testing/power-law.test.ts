import { describe, expect, it } from 'vitest';
import { canonicalCategory } from '../index.ts';
import { powerLawLabels, powerLawTransfers } from '../testing.ts';

const size = { seed: 1, addresses: 10_000 };
const transfers = [...powerLawTransfers({ ...size, transfers: 20_000 })];
const labels = [...powerLawLabels(size)];

describe('transfers by a power law', () => {
  it('are the same for the same seed, and others for another', () => {
    expect([...powerLawTransfers({ ...size, transfers: 50 })]).toEqual(transfers.slice(0, 50));
    expect([...powerLawTransfers({ ...size, seed: 2, transfers: 50 })]).not.toEqual(transfers.slice(0, 50));
    expect([...powerLawLabels(size)]).toEqual(labels);
  });

  it('are well formed, each known by its transaction and position, in the order of time', () => {
    expect(
      transfers.every(({ txid, from, to }) => /^0x[\da-f]{64}$/.test(txid) && [from, to].every((a) => /^0x[\da-f]{40}$/.test(a))),
    ).toBe(true);
    expect(transfers.every(({ from, to }) => from !== to)).toBe(true);
    expect(new Set(transfers.map(({ txid, position }) => `${txid} ${position}`)).size).toBe(transfers.length);
    expect(transfers.map(({ time }) => time).toSorted()).toEqual(transfers.map(({ time }) => time));
    expect(transfers.every(({ usd }) => usd === null || (usd > 0 && Math.abs(usd * 100 - Math.round(usd * 100)) < 1e-3))).toBe(true);
  });

  it('have few hubs and a long tail, as degrees of a power law have', () => {
    const degrees = new Map<string, number>();
    for (const { from, to } of transfers) for (const address of [from, to]) degrees.set(address, (degrees.get(address) ?? 0) + 1);
    const ordered = [...degrees.values()].sort((a, b) => b - a);
    const [top, middle] = [ordered[0] ?? 0, ordered[Math.floor(ordered.length / 2)] ?? 0];
    expect(top).toBeGreaterThan(0.05 * transfers.length);
    expect(middle).toBeLessThanOrEqual(4);
    // Rank 5 to rank 500 gives the tail index 1 / 0.7, within a fifth.
    const index = Math.log(100) / Math.log((ordered[4] ?? 1) / (ordered[499] ?? 1));
    expect(index).toBeGreaterThan(1.14);
    expect(index).toBeLessThan(1.72);
  });

  it('the largest are exchanges, and a small share bears risk labels of every category', () => {
    const addresses = new Set(transfers.flatMap(({ from, to }) => [from, to]));
    expect(labels.filter(({ category }) => category === 'exchange')).toHaveLength(1);
    const risks = labels.filter(({ category }) => category !== 'exchange');
    expect(risks.length / size.addresses).toBeGreaterThan(0.003);
    expect(risks.length / size.addresses).toBeLessThan(0.007);
    expect(risks.every(({ category }) => canonicalCategory(category) === category)).toBe(true);
    expect(risks.some(({ address }) => addresses.has(address))).toBe(true);
    expect(new Set(labels.map(({ address }) => address)).size).toBe(labels.length);
  });
});
