import { describe, expect, it } from 'vitest';
import { engineName } from './engine.ts';
import type { Measured } from './measure.ts';
import { measureFamilies, type MeasuredWorld, measureWorld } from './run.ts';
import { generatedWorlds } from './worlds.ts';

/** Of the generated thefts and cases. `npm run truth -- --data FOLDER` also measures hacks, whose data are no part of the project. */
describe.each(['tuned', 'heldOut'] as const)('the aims of the score (%s)', async (part) => {
  const worlds: MeasuredWorld[] = [];
  for (const world of generatedWorlds(part)) worlds.push(await measureWorld(world, part));
  const families = await measureFamilies(part);
  const of = ({ methods }: MeasuredWorld, method: string): Measured => methods.find((one) => one.method === method) as Measured;
  const mean = (field: 'recall_high' | 'recall_moderate' | 'auc'): number =>
    worlds.reduce((sum, world) => sum + (of(world, engineName)[field] ?? 0), 0) / worlds.length;

  it('four in five launderers are High or worse, nineteen in twenty Moderate or worse', () => {
    expect(mean('recall_high')).toBeGreaterThanOrEqual(0.8);
    expect(mean('recall_moderate')).toBeGreaterThanOrEqual(0.95);
  });

  it('launderers rank above others, and no less than by a plain haircut', () => {
    expect(mean('auc')).toBeGreaterThanOrEqual(0.99);
    for (const world of worlds) expect(of(world, engineName).auc).toBeGreaterThanOrEqual(of(world, 'haircut').auc);
  });

  it('nobody is High whom no stolen money reached', () => {
    expect(worlds.map((world) => of(world, engineName).false_high_unreached)).toEqual(worlds.map(() => 0));
  });

  it.each(families)('$family: has the right level, and neither evades nor blocks an innocent', ({ cases, right, wrong_action }) => {
    expect({ right, wrong_action }).toEqual({ right: cases, wrong_action: 0 });
  });
});
