import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { screeningId } from '@weir/contracts';
import { openPipeline, createLogger } from '@weir/service-kit';
import { systemClock } from '@weir/clock';
import { migrateFor, openTestStack, type TestStack } from '@weir/service-kit/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { consoleRole, decided, publish } from '../events.testing.ts';
import { settingsFor, startPosting } from './console.testing.ts';
import { type Receiver, startReceiver, status } from './receiver.testing.ts';

let stack: TestStack;
let receiver: Receiver;
const replicas: ChildProcess[] = [];
beforeEach(async () => {
  stack = await openTestStack({ roles: [consoleRole] });
  receiver = await startReceiver();
});
afterEach(async () => {
  for (const child of replicas.splice(0)) child.kill('SIGKILL');
  await stack.close();
  await receiver.close();
});

/** The console in its own process; resolves when it listens. */
async function startReplica(): Promise<ChildProcess> {
  const webhooks = {
    WEIR_WEBHOOK_URL: receiver.url,
    WEIR_WEBHOOK_SECRETS: receiver.secret,
    WEIR_WEBHOOK_RETRY_DELAYS_S: '1,1,1,1,1,1,1,1',
  };
  const env = { DATABASE_URL: await migrateFor(stack.db, consoleRole), WEIR_PORT: '0', ...webhooks };
  const child = spawn(process.execPath, [join(import.meta.dirname, '..', 'main.ts')], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  replicas.push(child);
  let text = '';
  await new Promise<void>((resolve, reject) => {
    child.once('exit', () => reject(new Error(`it ended: ${text}`)));
    child.stderr?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (text.includes('"listening"')) resolve();
    });
  });
  return child;
}

/** `kill -9`; resolves when the process is gone. */
async function kill(child: ChildProcess): Promise<void> {
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await gone;
}

const screenings = 120;
const revisions = [1, 2, 3];

test('replicas are killed in the middle: each decision comes, verified, and each screening in order', async () => {
  const logger = createLogger({ service: 'test', level: 'silent' });
  const pipeline = await openPipeline({ databaseUrl: stack.db.url, clock: systemClock, logger, poolSize: 2, retentionMs: 3_600_000 });
  // Slow enough that a delivery is always in progress, and sometimes busy.
  let count = 0;
  receiver.behave((...of) => {
    count += 1;
    const code = count % 41 === 0 ? 503 : 200;
    setTimeout(() => status(code)(...of), 10 + (count % 7) * 5);
  });
  let [first, second] = [await startReplica(), await startReplica()];
  const numbers = Array.from({ length: screenings }, (_, n) => n);
  for (const revision of revisions) {
    await publish(
      pipeline,
      numbers.map((n) => decided('deposit', n, { revision, supersedes: revision === 1 ? null : revision - 1 })),
    );
  }
  const reached = (share: number) =>
    vi.waitFor(() => expect(receiver.arrivals.length).toBeGreaterThanOrEqual(screenings * revisions.length * share), {
      timeout: 60_000,
      interval: 5,
    });
  for (const share of [0.15, 0.4, 0.65]) {
    await reached(share);
    await kill(first);
    [first, second] = [second, await startReplica()];
  }
  const waiting = async () =>
    (await stack.db.pool.query(`SELECT attempts, next_at, owner, last_error FROM console.deliveries WHERE state <> 'delivered'`)).rows;
  await vi.waitFor(
    async () => {
      expect([...receiver.taken().values()].reduce((sum, taken) => sum + taken.length, 0)).toBe(screenings * revisions.length);
      expect(await waiting()).toEqual([]);
    },
    { timeout: 60_000, interval: 50 },
  );
  expect(receiver.taken()).toEqual(new Map([...receiver.taken().keys()].map((id) => [id, revisions])));
  expect(new Set(receiver.taken().keys())).toEqual(new Set(numbers.map((n) => screeningId('deposit', `deposit-${n}`))));
  expect(receiver.unverified).toBe(0);
  const bodies = new Map<string, Set<string>>();
  for (const { id, body } of receiver.arrivals) bodies.set(id, (bodies.get(id) ?? new Set()).add(body));
  expect([...bodies.values()].every((all) => all.size === 1)).toBe(true);
  await kill(second);
  await pipeline.close();
});

test('a replica that has lost its row to another changes nothing in it', async () => {
  const settings = settingsFor(receiver, { webhookConcurrency: 1, webhookTimeoutMs: 240_000 });
  // The slow one has its answer when the other has delivered, however long that takes.
  const delivered = Promise.withResolvers<void>();
  receiver.behave((...of) => void delivered.promise.then(() => status(500)(...of)));
  const slow = await startPosting(stack, settings);
  await publish(slow.pipeline, [decided('deposit', 1)]);
  await vi.waitFor(() => expect(receiver.arrivals).toHaveLength(1), 10_000);
  receiver.behave(status(200));
  const other = await startPosting(stack, settings);
  // As after a lost session of the slow one.
  await stack.db.pool.query(`UPDATE console.deliveries SET owner = 'nobody'`);
  const rows = async () => (await other.ask('GET', '/v1/webhooks/deliveries')).body.items;
  await vi.waitFor(async () => expect(await rows()).toMatchObject([{ state: 'delivered', attempts: 1 }]), 10_000);
  const before = await rows();
  delivered.resolve();
  await vi.waitFor(async () => expect(await slow.scrape()).toContain('result="repeated"} 1'), { timeout: 10_000, interval: 50 });
  expect(await rows()).toEqual(before);
  expect(receiver.arrivals).toHaveLength(2);
});
