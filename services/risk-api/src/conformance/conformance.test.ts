import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { get } from '../testing/instance.ts';
import { cases } from './cases.ts';
import { startWorld, type World } from './world.ts';

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
});
