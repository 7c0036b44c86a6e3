import { type Clock, ManualClock, systemClock } from '@weir/clock';
import { openSession, type Pool, transaction } from '@weir/postgres';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readAll, record, seededChance, totalLag, until } from '../behaviour/harness.ts';
import { Gate, Witness } from '../behaviour/witness.ts';
import type { EventLog, OutgoingRecord, Subscription } from '../port.ts';
import { openPostgresLog } from './log.ts';
import { settings } from './settings.ts';
import { type Client, type OneClient, openClient, openOneClient } from './testing.ts';

let client: OneClient;
let log: EventLog;
let fetches: number;
let closing: (() => Promise<void>)[];
beforeEach(async () => {
  client = await openOneClient();
  await client.log.createTopics([{ name: 'many', partitions: 4 }]);
  fetches = 0;
  closing = [() => client.close()];
  log = await open(systemClock);
});
afterEach(async () => {
  for (const close of closing.toReversed()) await close();
});

async function open(clock: Clock): Promise<EventLog> {
  const session = await openSession({ url: client.database.url, clock: systemClock });
  const opened = openPostgresLog({ pool: counted(client.database.openPool()), session, clock });
  closing.push(
    () => session.close(),
    () => opened.close(),
  );
  return opened;
}

/** Counts reads of the log. */
function counted(pool: Pool): Pool {
  return {
    ...pool,
    connect: async () => {
      const connected = await pool.connect();
      return new Proxy(connected, {
        get: (target, name) => {
          const value: unknown = Reflect.get(target, name);
          if (typeof value !== 'function') return value;
          return (...given: unknown[]): unknown => {
            if (name === 'query' && (given[0] as { name?: string }).name === 'weir_log_fetch') fetches += 1;
            return Reflect.apply(value, target, given);
          };
        },
      });
    },
  };
}

async function openOther(): Promise<Client> {
  const other = await openClient(client.database);
  closing.push(async () => {
    await other.log.close();
    await other.session.close();
    await other.pool.end();
  });
  return other;
}

interface Appending {
  readonly fails?: boolean;
  /** As the log learns it. */
  readonly outcome?: boolean;
  readonly from?: EventLog;
  readonly delayMs?: number;
}

/** Appends as a stage does. A transaction that fails leaves nothing. */
async function append(
  records: readonly OutgoingRecord[],
  { fails = false, outcome = !fails, from = log, delayMs = 0 }: Appending = {},
): Promise<void> {
  const committed = Promise.withResolvers<boolean>();
  await transaction(client.database.pool, async (tx) => {
    await from.append?.(tx, records, committed.promise);
    if (fails) throw new Error('crash');
  }).catch((error: unknown) => {
    if (!fails) throw error;
  });
  if (delayMs > 0) await systemClock.sleep(delayMs);
  committed.resolve(outcome);
}

async function join(
  topic: string,
  witness: Witness,
  { group = 'g', maxInFlight = 1_000, work = () => Promise.resolve() } = {},
): Promise<Subscription> {
  const subscription = await log.subscribe({
    group,
    topics: [topic],
    maxInFlight,
    maxBatch: 7,
    handle: (records) => witness.watch(records, work),
  });
  await until('its partitions are assigned and read', () => subscription.assigned.length === (topic === 't' ? 1 : 4) && fetches > 0);
  return subscription;
}

const listen = async (): Promise<string[]> => {
  const payloads: string[] = [];
  const session = await openSession({ url: client.database.url, clock: systemClock });
  closing.push(() => session.close());
  await session.listen('weir_log', (payload) => payloads.push(payload));
  return payloads;
};

test('members of the process get records as a reader finds them, without a read and without a notification', async () => {
  // No poll comes.
  const clock = new ManualClock();
  log = await open(clock);
  const [one, two] = [new Witness(), new Witness()];
  await join('t', one);
  await join('t', two, { group: 'other' });
  await until('both have read', () => fetches === 2);
  const payloads = await listen();
  for (let n = 0; n < 20; n += 1) await append([record('t', `k-${n}`, String(n), { b: 'x', aa: 'y' })]);
  await until('both have them', () => one.completed.length === 20 && two.completed.length === 20);
  expect(fetches).toBe(2);
  expect(payloads.filter((payload) => payload.startsWith('records'))).toEqual([]);
  expect(one.handed).toEqual(await readAll(client.log, 't'));
  await until('they are committed', async () => {
    await clock.advance(1_000);
    return (await totalLag(client.log, 'g')) === 0n;
  });
});

test('a member elsewhere is notified, of the topics that it reads', async () => {
  const other = await openOther();
  const witness = new Witness();
  await other.log.subscribe({
    group: 'elsewhere',
    topics: ['t'],
    maxInFlight: 10,
    maxBatch: 10,
    handle: (records) => witness.watch(records, () => Promise.resolve()),
  });
  const { rows } = await client.database.pool.query<{ id: number }>("SELECT id FROM log.topics WHERE name = 't'");
  const payloads = await listen();
  await append([record('t', 'k', 'seen'), record('many', 'k', 'not seen')]);
  await until('it has the record', () => witness.values.length === 1);
  await until('a notification came', () => payloads.length > 0);
  expect(payloads.filter((payload) => payload.startsWith('records'))).toEqual([`records ${rows[0]?.id}`]);
});

test('each record is handed out once and in order, whoever wrote it and whatever became of its transaction', async () => {
  const chance = seededChance();
  const other = await openOther();
  const [roomy, tight] = [new Witness(), new Witness()];
  await join('many', roomy);
  await join('many', tight, { group: 'tight', maxInFlight: 3, work: () => systemClock.sleep(chance() * 2) });
  const some = (step: number): OutgoingRecord[] =>
    Array.from({ length: 1 + Math.floor(chance() * 4) }, (_, n) => record('many', `k-${Math.floor(chance() * 8)}`, `${step}.${n}`));
  const one = async (step: number): Promise<void> => {
    const kind = chance();
    const delayMs = chance() < 0.3 ? chance() * 10 : 0;
    const records = some(step);
    if (kind < 0.55) return append(records, { delayMs });
    if (kind < 0.65) return append(records, { delayMs, fails: true });
    // The answer to COMMIT was lost.
    if (kind < 0.75) return append(records, { delayMs, outcome: false });
    if (kind < 0.85) return append(records, { delayMs, from: other.log });
    return (kind < 0.92 ? log : other.log).publish(records);
  };
  for (let step = 0; step < 400; step += 4) await Promise.all([0, 1, 2, 3].map((n) => one(step + n)));
  const written = await readAll(client.log, 'many');
  for (const witness of [roomy, tight]) {
    await until('all are handled', () => witness.completed.length >= written.length);
    for (let partition = 0; partition < 4; partition += 1) {
      const keys = Map.groupBy(
        written.filter((each) => each.partition === partition),
        ({ key }) => key,
      );
      for (const [key, records] of keys)
        expect(witness.handed.filter((each) => each.partition === partition && each.key === key)).toEqual(records);
    }
    expect(witness.violations).toEqual([]);
  }
  expect(tight.mostInHand).toBeLessThanOrEqual(3);
  for (const group of ['g', 'tight']) await until('nothing is left', async () => (await totalLag(client.log, group)) === 0n);
});

test('a member without room reads the rest once it has some', async () => {
  const witness = new Witness();
  const gate = new Gate();
  await join('t', witness, { maxInFlight: 2, work: () => gate.passed });
  for (let n = 0; n < 10; n += 1) await append([record('t', `k-${n}`, String(n))]);
  expect(witness.handed.length).toBeLessThanOrEqual(2);
  gate.open();
  await until('all are handled', () => witness.completed.length === 10);
  expect(witness.values).toEqual(Array.from({ length: 10 }, (_, n) => String(n)));
  expect(witness.mostInHand).toBeLessThanOrEqual(2);
});

test('records that were committed after a new member had read its partition are read without a notification', async () => {
  // The poll of a lost connection never comes.
  log = await open({
    ...systemClock,
    sleep: (ms, signal) => systemClock.sleep(ms < settings.pollMs ? ms : 3_600_000, signal),
  });
  const committed = Promise.withResolvers<boolean>();
  const tx = await client.database.pool.connect();
  await tx.query('BEGIN');
  // Nobody has joined, so nobody is notified.
  await client.log.append?.(tx, [record('t', 'k', 'late')], committed.promise);
  const witness = new Witness();
  await join('t', witness);
  await tx.query('COMMIT');
  tx.release();
  committed.resolve(true);
  await until('it is handled', () => witness.values.length === 1);
});
