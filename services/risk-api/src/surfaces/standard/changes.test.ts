import { address, label, transfer, txid } from '@weir/chain-store/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { loadLabels, loadTransfers } from '../../index.ts';
import { type Answer, createTestService, get, type Instance, post, resultOf, type TestService } from '../../testing/instance.ts';

const path = '/v1/score_changes';
const [thief, mule] = [address(101), address(102)];
const users = Array.from({ length: 9 }, (_, n) => address(200 + n));
const [user = ''] = users;

let service: TestService;
let instance: Instance;
let key: string;
let names = 0;

beforeAll(async () => {
  service = await createTestService();
  instance = await service.start();
  const paid = [mule, ...users].map((to, n) => ({ ...transfer, txid: txid(n + 1), from_address: n === 0 ? thief : mule, to_address: to }));
  await loadTransfers(service.database.pool, paid);
});
afterAll(() => service.stop());
beforeEach(async () => {
  key = await service.key({ surface: 'standard' });
});

const ask = (query: Record<string, string> = {}, api_key = key): Promise<Answer> => get(instance.url + path, { ...query, api_key });
const score = (of: string, api_key = key): Promise<Answer> => get(`${instance.url}/v2/risk_score`, { coin: 'ETH', address: of, api_key });
const end = async (): Promise<string> => (await ask()).body.data.next_cursor;

/** Adds one more label to the thief, and waits until the change is published. */
async function relabel(): Promise<void> {
  names += 1;
  await loadLabels(service.database.pool, [{ ...label, address: thief, category: 'theft', name: `Heist ${names}`, confidence: 1 }]);
  const open = 'SELECT FROM risk.label_changes UNION ALL SELECT FROM risk.changed_subjects';
  await expect.poll(async () => (await service.database.pool.query(open)).rowCount, { timeout: 10_000 }).toBe(0);
}

describe('changes of scores', () => {
  it('are told to whoever asked, by whichever call, and from where he left off', async () => {
    const begin = await end();
    expect((await ask()).body.data).toEqual({ items: [], next_cursor: begin, more: false });
    await post(`${instance.url}/v3/risk_score_create_task`, { coin: 'ETH', txid: txid(2), direction: 'withdraw', api_key: key });
    await post(`${instance.url}/v2/risk_score_create_task`, { coin: 'ETH', address: users[1], api_key: key });
    await get(`${instance.url}/v1/risk_score`, { coin: 'ETH', address: users[2] ?? '', api_key: key });
    await score(user);
    const taskOf = async (of: string | undefined) =>
      (await post(`${instance.url}/v3/risk_score_create_task`, { coin: 'ETH', address: of, api_key: key })).body.data.task_id as string;
    const task = await taskOf(users[3]);
    expect((await resultOf(instance.url, key, task)).data.risk_level).toBe('Low');
    await relabel();
    const { body } = await ask({ after: begin });
    const changed_at = expect.any(Number) as number;
    const expected = [...users.slice(0, 4).map((subject) => ['address', subject, 'deposit']), ['txid', txid(2), 'withdraw']];
    expect(body.data.items).toHaveLength(expected.length);
    expect(body.data.items).toEqual(
      expect.arrayContaining(
        expected.map(([subject_type, subject, direction]) => ({
          chain: 'ethereum',
          subject_type,
          subject,
          direction,
          cause: 'label',
          changed_at,
        })),
      ),
    );
    expect((await ask({ after: body.data.next_cursor })).body.data).toEqual({ items: [], next_cursor: body.data.next_cursor, more: false });
    // The old task keeps its result; a new call gets a new task.
    expect((await resultOf(instance.url, key, task)).data.risk_level).toBe('Low');
    const anew = await taskOf(users[3]);
    expect(anew).not.toBe(task);
    // The mule paid nine times what it received: only the first two times are known to be stolen, the rest is an extrapolation.
    expect((await resultOf(instance.url, key, anew)).data.risk_level).toBe('Moderate');
    expect((await score(user)).body.data.risk_level).toBe('High');
  });

  it('are told of what was answered from the cache, to each key of its own', async () => {
    const other = await service.key({ surface: 'standard' });
    const stranger = await service.key({ surface: 'standard' });
    const begin = await end();
    await score(user);
    await score(user, other);
    await relabel();
    for (const own of [key, other]) expect((await ask({ after: begin }, own)).body.data.items).toMatchObject([{ subject: user }]);
    expect((await ask({ after: begin }, stranger)).body.data.items).toEqual([]);
  });

  it('come in pages, in order, each once', async () => {
    for (const of of users) await score(of);
    const begin = await end();
    await relabel();
    const seen: string[] = [];
    let page = (await ask({ after: begin, limit: '4' })).body.data;
    for (;;) {
      seen.push(...page.items.map(({ subject }: { subject: string }) => subject));
      if (!page.more) break;
      expect(page.items).toHaveLength(4);
      page = (await ask({ after: page.next_cursor, limit: '4' })).body.data;
    }
    expect(seen.toSorted()).toEqual([...users].toSorted());
    expect((await ask({ after: begin, limit: '9' })).body.data.more).toBe(false);
  });

  it('take nothing from the limits of the key, and are not told to one that is none', async () => {
    const once = await service.key({ surface: 'standard', perDay: 1 });
    for (let n = 0; n < 3; n += 1) expect((await ask({}, once)).status).toBe(200);
    const sandbox = await service.key({ surface: 'sandbox' });
    for (const none of ['nobody', '', sandbox]) expect(await ask({}, none)).toMatchObject({ status: 400, body: { msg: 'InvalidApiKey' } });
    const expired = await service.key({ surface: 'standard', expiresAt: new Date(0) });
    expect(await ask({}, expired)).toMatchObject({ status: 402, body: { msg: 'ExpiredPlan' } });
  });

  it.each([
    { after: 'x' },
    { after: 'AAAAAAAAACk=' },
    { after: 'AAAAAAAAACl' },
    { after: '__________8' },
    // A cursor of another database, or from before a restore, would skip changes.
    { after: 'AAAAAAAPQkA' },
    { limit: '0' },
    { limit: '1001' },
    { limit: '1.5' },
    { limit: 'all' },
  ])('%j is InvalidParameter', async (query) => {
    expect(await ask(query)).toMatchObject({ status: 400, body: { success: false, msg: 'InvalidParameter' } });
  });

  it('are counted, and what is open has an age', async () => {
    await score(user);
    const metric = async (name: string): Promise<number> =>
      Number(new RegExp(`^${name} (.+)$`, 'm').exec(String((await get(`${instance.url}/metrics`)).body))?.[1]);
    const before = await metric('weir_risk_api_scores_changed_total');
    await relabel();
    expect(await metric('weir_risk_api_scores_changed_total')).toBeGreaterThan(before);
    expect(await metric('weir_risk_api_label_change_oldest_seconds')).toBe(0);
    await service.database.pool.query(
      `INSERT INTO risk.label_changes (chain, address, stored_at, due_at) VALUES ('ethereum', 'x', now(), now() + interval '1 hour'),
         ('ethereum', 'x', now(), now() - interval '3 seconds')`,
    );
    expect(await metric('weir_risk_api_label_change_oldest_seconds')).toBeGreaterThan(2);
    await service.database.pool.query(`DELETE FROM risk.label_changes WHERE address = 'x'`);
  });
});
