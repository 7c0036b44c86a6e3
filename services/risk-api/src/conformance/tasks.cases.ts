import { systemClock } from '@weir/clock';
import { expect } from 'vitest';
import { sandboxTargets } from '../surfaces/sandbox/targets.ts';
import { createTestService, get, post, resultOf } from '../testing/instance.ts';
import { at, type Case, type Cases, tx, type World } from './world.ts';
import { create, query } from '../testing/calls.ts';

const known = { coin: 'ETH', address: sandboxTargets[0]?.address ?? '' };
let fresh = 0;
/** A fresh address. */
const unasked = (): string => `0xe${(++fresh).toString(16).padStart(39, '0')}`;

/** A service without workers, whose tasks never end. */
async function idle(run: (url: string, key: string) => Promise<void>): Promise<void> {
  const service = await createTestService();
  try {
    const { url } = await service.start({ settings: { workers: 0, syncWaitMs: 100 } });
    await run(url, await service.key({ surface: 'standard' }));
  } finally {
    await service.stop();
  }
}

const finished: Case = async (world) => {
  const address = unasked();
  const { body } = await world.send(create, { coin: 'ETH', address });
  expect(await resultOf(world.instance.url, world.key, body.data.task_id)).toMatchObject({ success: true, msg: '', data: { score: 3 } });
  await world.send('/v2/risk_score_create_task', { coin: 'ETH', address });
  expect((await world.ask('/v2/risk_score_query_task', { coin: 'ETH', address })).body).toMatchObject({
    success: true,
    msg: '',
    data: { score: 3 },
  });
};

const hit: Case = async (world) => {
  const address = unasked();
  const now = Math.floor(systemClock.now() / 1_000);
  await world.score({ address });
  for (const path of [create, '/v2/risk_score_create_task']) {
    const { body } = await world.send(path, { coin: 'ETH', address });
    expect(body.data.has_result).toBe(true);
    expect(Math.abs(body.data.scanned_ts - now)).toBeLessThan(60);
  }
};

const miss: Case = () =>
  idle(async (url, api_key) => {
    for (const path of [create, '/v2/risk_score_create_task']) {
      const { body } = await post(url + path, { coin: 'ETH', address: at.user, api_key });
      expect(body.data).toMatchObject({ has_result: false, scanned_ts: 0 });
    }
  });

const under: Case = () =>
  idle(async (url, api_key) => {
    const target = { coin: 'ETH', address: at.user, api_key };
    const { body } = await post(url + create, target);
    await post(`${url}/v2/risk_score_create_task`, target);
    const running = { success: true, msg: 'TaskUnderRunning', data: {} };
    expect((await get(url + query, { task_id: body.data.task_id, api_key })).body).toEqual(running);
    expect((await get(`${url}/v2/risk_score_query_task`, target)).body).toEqual(running);
    // A synchronous call gets a failure.
    expect(await get(`${url}/v2/risk_score`, target)).toMatchObject({ status: 503, body: { msg: 'ServiceUnavailable' } });
  });

const sandboxTask = async (world: World) => (await world.send(`/sandbox${create}`, known)).body.data;

export const taskCases: Cases = {
  'Task (asynchronous risk score): task_id': async (world) => {
    expect((await world.send(create, { coin: 'ETH', address: at.user })).body.data.task_id).toMatch(/^[0-9a-f]{32}$/);
    expect((await sandboxTask(world)).task_id).toMatch(/^[0-9a-f]{32}$/);
    expect((await world.send('/v2/risk_score_create_task', { coin: 'ETH', address: at.user })).body.data).not.toHaveProperty('task_id');
  },
  'Task (asynchronous risk score): has_result': hit,
  'Task (asynchronous risk score): scanned_ts': miss,
  'States and transitions: (none) Create task Result not cached (cache miss)': miss,
  'States and transitions: (none) Create task Result cached (cache hit)': hit,
  'States and transitions: (none) Create task in sandbox Target is a known sandbox case': async (world) =>
    expect((await sandboxTask(world)).has_result).toBe(true),
  'States and transitions: running Query task Not finished': under,
  'States and transitions: running Query task Finished': finished,
  'States and transitions: completed Query task Any': async (world) => {
    const { body } = await world.send(create, { coin: 'ETH', txid: tx(60) });
    const first = await resultOf(world.instance.url, world.key, body.data.task_id);
    const again = (await world.ask(query, { task_id: body.data.task_id })).body;
    // Each report URL is signed anew.
    expect({ ...again.data, risk_report_url: '' }).toEqual({ ...first.data, risk_report_url: '' });
  },
  'States and transitions: any Query task Task id unknown': async (world) => {
    expect(await world.ask(query, { task_id: 'nothing' })).toMatchObject({
      status: 200,
      body: { success: true, msg: 'TaskNotFound', data: {} },
    });
    expect((await world.ask('/v2/risk_score_query_task', { coin: 'ETH', address: unasked() })).body.msg).toBe('TaskNotFound');
    expect(await world.ask(`/sandbox${query}`, { task_id: 'nothing' })).toMatchObject({
      status: 200,
      body: { success: false, msg: 'TaskNotFound' },
    });
  },
  'Limits: Suggested wait before querying after a cache miss': async (world) => {
    const { body } = await world.send(create, { coin: 'ETH', address: unasked() });
    expect((await resultOf(world.instance.url, world.key, body.data.task_id, 10_000)).msg).toBe('');
  },
};
