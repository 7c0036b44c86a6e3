import { expect, it } from 'vitest';
import { levelOf } from '@weir/risk-engine';
import { aucOf, measure, scoreOfShare, tprOf } from './measure.ts';

it('AUC counts the pairs in right order, and ties as half', () => {
  expect(aucOf([3, 4], [1, 2])).toBe(1);
  expect(aucOf([1, 2], [3, 4])).toBe(0);
  expect(aucOf([5, 5], [5, 5, 5])).toBe(0.5);
  expect(aucOf([1, 3], [2, 2])).toBe(0.5);
  expect(aucOf([2, 3], [1, 2])).toBe(0.875);
});

it('recall at 1 % false positives has a threshold that one in a hundred is above', () => {
  const better = Array.from({ length: 200 }, (_, index) => index);
  expect(tprOf([196, 197, 198, 199], better, 0.01)).toBe(0.5);
  expect(tprOf([0, 0], better, 0.01)).toBe(0);
});

it('false positives are parts of all the benign, apart for those whom a launderer paid', () => {
  const scores = new Map([
    ['thief', 95],
    ['quiet', 30],
    ['paid', 80],
    ['near', 72],
    ['unreached', 71],
    ['far', 40],
    ['clean', 3],
  ]);
  const score = (address: string): number => scores.get(address) ?? 0;
  const world = {
    name: '',
    chain: '',
    movements: [],
    labels: [],
    launderers: ['thief', 'quiet'],
    benign: ['paid', 'near', 'unreached', 'far', 'clean'],
  };
  expect(measure('now', { ...world, paid: new Set(['paid']), reached: new Set(['near']) }, { rank: score, score })).toEqual({
    method: 'now',
    recall_high: 0.5,
    recall_moderate: 0.5,
    false_high_unpaid: 0.4,
    false_high_unreached: 0.2,
    false_high_paid: 0.2,
    false_moderate: 0.8,
    auc: 0.6,
    tpr_at_1_percent: 0.5,
  });
});

it('a share has the level of direct payments', () => {
  expect([0, 0.04, 0.05, 0.2, 1].map((share) => levelOf(scoreOfShare(share)))).toEqual(['Low', 'Low', 'Moderate', 'High', 'Severe']);
});
