import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { runScenario } from './drill.ts';
import { hasten } from './hasten.ts';
import { scenarios } from './scenarios.ts';
import { openWorld, type World } from './world.ts';

/** Minutes become seconds. */
const times = 30;

let world: World;
beforeAll(async () => {
  world = await openWorld(times);
});
afterAll(() => world?.close());

test.each(scenarios)('$name: $alert fires, its runbook works, and it ends where the thing is mended', async (scenario) => {
  expect((await runScenario(world, scenario, times)).problems).toEqual([]);
});

test('hastened rules have the alerts and conditions of the real ones, and no time of theirs', () => {
  const real = readFileSync(join(import.meta.dirname, '..', '..', 'deploy', 'prometheus', 'rules.yml'), 'utf8');
  const shapeOf = (rules: string): unknown => JSON.parse(JSON.stringify(parse(rules)).replaceAll(/\d+(\.\d+)?[smhd]?/g, 'N'));
  const faster = hasten(real, times);
  expect(shapeOf(faster)).toEqual(shapeOf(real));
  expect(faster).not.toMatch(/\[\d+[mhd]\]|for: \d+[mhd]|offset \d+[mhd]|_seconds\S* > (?:900|86400)/);
  expect(hasten(real, 1)).toBe(real);
});
