import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { runScenario } from './drill.ts';
import { hasten } from './hasten.ts';
import { alertsOf } from './scenario.ts';
import { groups, shortGroups, slow } from './scenarios.ts';
import { openWorld, type World } from './world.ts';

/** Minutes become seconds. */
const times = 30;
const ruleFile = join(import.meta.dirname, '..', '..', 'deploy', 'prometheus', 'rules.yml');

let world: World;
beforeAll(async () => {
  world = await openWorld(times);
});
afterAll(() => world?.close());

test.each(shortGroups.map((group) => ({ group, names: group.map(({ name }) => name).join('; ') })))(
  '$names: the alerts fire, their runbooks work, and they end where the thing is mended',
  async ({ group }) => {
    const outcomes = await Promise.all(group.map((scenario) => runScenario(world, scenario, times)));
    expect(outcomes.flat().flatMap(({ problems }) => problems)).toEqual([]);
  },
);

test('each alert is drilled', () => {
  const rules = parse(readFileSync(ruleFile, 'utf8')) as { groups: { rules: { alert?: string }[] }[] };
  const alerts = new Set(rules.groups.flatMap((group) => group.rules).flatMap(({ alert }) => alert ?? []));
  const drilled = [...groups, slow].flat().flatMap(alertsOf);
  expect([...alerts].filter((alert) => !drilled.includes(alert))).toEqual([]);
});

test('hastened rules have the alerts and conditions of the real ones, and no time of theirs', () => {
  const real = readFileSync(ruleFile, 'utf8');
  const shapeOf = (rules: string): unknown => JSON.parse(JSON.stringify(parse(rules)).replaceAll(/\d+(\.\d+)?[smhd]?/g, 'N'));
  const faster = hasten(real, times);
  expect(shapeOf(faster)).toEqual(shapeOf(real));
  expect(faster).not.toMatch(/\[\d+[mhd]\]|for: \d+[mhd]|offset \d+[mhd]|_seconds\S* > (?:900|86400)/);
  expect(hasten(real, 1)).toBe(real);
});

test('an age of a day is hastened twice, and a count of a histogram is not', () => {
  const line = (of: string): string => hasten(`expr: ${of}`, 30);
  expect(line('weir_rescreen_feed_seconds > 900')).toBe('expr: weir_rescreen_feed_seconds > 30');
  expect(line('weir_screening_oldest_seconds > 86400')).toBe('expr: weir_screening_oldest_seconds > 96');
  expect(line('weir_screening_duration_seconds_count > 20')).toBe('expr: weir_screening_duration_seconds_count > 20');
});
