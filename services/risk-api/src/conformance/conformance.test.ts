import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { get } from '../testing/instance.ts';
import { callCases } from './calls.cases.ts';
import { limitCases } from './limits.cases.ts';
import { rowsOf } from './pages.ts';
import { payCases } from './pay.cases.ts';
import { resultCases } from './results.cases.ts';
import { taskCases } from './tasks.cases.ts';
import { startWorld, type World } from './world.ts';

const cases = { ...resultCases, ...taskCases, ...callCases, ...limitCases, ...payCases };
const spec = join(import.meta.dirname, '../../../../../shared/spec');

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

describe('the risk service does what its specification says', () => {
  it.each(Object.entries(cases))('%s', (_, run) => run(world));
});

describe('the cases', () => {
  it('are there for every call that is described', async () => {
    const { paths } = (await get(`${world.instance.url}/openapi.json`)).body as { paths: Record<string, Record<string, unknown>> };
    for (const [path, methods] of Object.entries(paths)) {
      for (const method of Object.keys(methods)) {
        const call = `${method.toUpperCase()} ${path.replace('/sandbox/v3', '/v3')}`;
        const surface = path.startsWith('/sandbox') ? /sandbox/i : /^(?!Sandbox)/;
        expect([call, Object.keys(cases).some((id) => id.includes(call) && surface.test(id))]).toEqual([call, true]);
      }
    }
  });

  // The specification lies beside the project where it is developed, and is not part of it.
  it.skipIf(!existsSync(spec))('are those of every row of every table', () => {
    const rows = ['risk-service.md', 'open-points.md'].flatMap((page) => rowsOf(readFileSync(join(spec, page), 'utf8')));
    // Of the pay-per-call tables the last alone counts, as the page itself says.
    const ids = rows.filter(({ text }) => !/see note|is not used|is not a path/.test(text)).map(({ id }) => id);
    expect(ids.length).toBeGreaterThan(100);
    expect(
      Object.keys(cases)
        .filter((id) => !id.startsWith('extra: '))
        .toSorted(),
    ).toEqual(ids.toSorted());
  });
});
