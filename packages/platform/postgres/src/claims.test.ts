import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { ManualClock, systemClock } from '@weir/clock';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { claimJobs, createJobs, type Job, jobs } from './claims.testing.ts';
import { Claims, type ClaimsOptions, migrate, openSession, type Session, sessionMigrations } from './index.ts';
import { createTestDatabase, type TestDatabase } from './testing.ts';

let db: TestDatabase;
/** The claims' own clock: nothing is claimed a second time before it is moved. */
let clock: ManualClock;
const closing: (() => Promise<unknown>)[] = [];
const children: ChildProcess[] = [];
const patience = { timeout: 20_000, interval: 10 };
beforeEach(async () => {
  db = await createTestDatabase();
  clock = new ManualClock();
  await migrate(db.pool, 'session', sessionMigrations);
  await db.pool.query(createJobs);
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  for (const close of closing.splice(0).toReversed()) await close();
  await db.drop();
});

interface Replica {
  readonly claims: Claims<Job>;
  readonly session: Session;
  /** Jobs in the order they began, and those that a later round replaced. */
  readonly began: Job[];
  readonly replaced: Job[];
  readonly errors: { error: unknown; id: bigint | undefined }[];
  /** Ends the work on a job, in the table too. */
  finish(id: bigint): Promise<void>;
  fail(id: bigint): void;
}

async function replica(room = 10, over: Partial<ClaimsOptions<Job>> = {}): Promise<Replica> {
  const pool = db.openPool();
  const session = await openSession({ url: db.url, clock: systemClock });
  const [began, replaced, errors]: [Job[], Job[], Replica['errors']] = [[], [], []];
  const work = new Map<bigint, PromiseWithResolvers<void>>();
  const all: PromiseWithResolvers<void>[] = [];
  const claims: Claims<Job> = new Claims<Job>({
    pool,
    clock,
    owner: () => session.owner(),
    table: jobs,
    claim: (owner) => claimJobs(pool, owner, room - claims.running),
    begin: (job, before) => {
      began.push(job);
      if (before !== undefined) replaced.push(before);
      const ended = Promise.withResolvers<void>();
      all.push(ended);
      work.set(job.id, ended);
      void claims.run(job, ended.promise).then(() => claims.notify());
    },
    onError: (error, row) => errors.push({ error, id: row?.id }),
    ...over,
  });
  closing.push(async () => {
    for (const { resolve } of all) resolve();
    await claims.stop();
    await session.close();
  });
  claims.start();
  return {
    claims,
    session,
    began,
    replaced,
    errors,
    finish: async (id) => {
      await pool.query('UPDATE jobs SET is_done = true, owner = NULL WHERE id = $1', [id]);
      work.get(id)?.resolve();
    },
    fail: (id) => work.get(id)?.reject(new Error(`job ${id}`)),
  };
}

const add = (from: number, to = from, lane = 0) =>
  db.pool.query('INSERT INTO jobs (id, lane) SELECT n, $3 FROM generate_series($1::int, $2::int) AS n', [from, to, lane]);
const ids = (all: readonly Job[]) => all.map(({ id }) => Number(id));
const owners = async () =>
  (await db.pool.query<{ owner: string | null }>('SELECT owner FROM jobs ORDER BY id')).rows.map((row) => row.owner);
const lose = (session: Session) => db.pool.query('SELECT pg_terminate_backend(pid) FROM weir.sessions WHERE owner = $1', [session.owner()]);
/** Waits until the loop pauses, then lets it look again. */
async function pass(loops = 1): Promise<void> {
  await vi.waitFor(() => expect(clock.sleeping).toBe(loops), patience);
  await clock.advance(1_000);
}
const until = (check: () => unknown): Promise<unknown> => vi.waitFor(check, patience);

describe('claims', () => {
  test('are of one replica at a time, and replicas share all rows', async () => {
    await add(1, 300);
    const running = new Set<bigint>();
    const ran: bigint[] = [];
    let [isTwice, most] = [false, 0];
    const share = async (): Promise<Claims<Job>> => {
      const { claims } = await replica(5, {
        begin: (job) => {
          isTwice ||= running.has(job.id);
          running.add(job.id);
          most = Math.max(most, running.size);
          const work = async (): Promise<void> => {
            // Looks while work is under way must leave it alone.
            claims.refresh();
            await db.pool.query('SELECT pg_sleep(0.002)');
            running.delete(job.id);
            ran.push(job.id);
            await db.pool.query('UPDATE jobs SET is_done = true, owner = NULL WHERE id = $1', [job.id]);
          };
          void claims.run(job, work()).then(() => claims.notify());
        },
      });
      return claims;
    };
    const both = await Promise.all([share(), share()]);
    await until(() => expect(ran).toHaveLength(300));
    expect([isTwice, new Set(ran).size]).toEqual([false, 300]);
    expect(most).toBeGreaterThan(5);
    await Promise.all(both.map((claims) => claims.stop()));
    expect(new Set(await owners())).toEqual(new Set([null]));
  });

  test('ask once for each owner whether its session lives, however many rows it has', async () => {
    await db.pool.query(`DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET track_functions = ''all''', current_database()); END $$`);
    await add(1, 1_000);
    const one = await replica(1_000);
    await until(() => expect(one.began).toHaveLength(1_000));
    await db.pool.query('ANALYZE jobs');
    const calls = async (): Promise<number> => {
      const { rows } = await db.pool.query<{ calls: bigint }>(`SELECT calls FROM pg_stat_user_functions WHERE funcname = 'session_alive'`);
      return Number(rows[0]?.calls ?? 0);
    };
    const looked = async (): Promise<void> => {
      await pass();
      await db.pool.query('SELECT pg_stat_force_next_flush()');
    };
    await looked();
    await until(async () => expect(await calls()).toBeGreaterThan(0));
    expect(await calls()).toBeLessThan(20);
  });

  test('begin in the order of the owner’s statement: the urgent lane first', async () => {
    await add(1, 3, 1);
    await add(4, 6, 0);
    const one = await replica(4);
    await until(() => expect(ids(one.began)).toEqual([4, 5, 6, 1]));
    await one.finish(5n);
    await until(() => expect(ids(one.began)).toEqual([4, 5, 6, 1, 2]));
  });

  test('of a killed process are taken by another at its next look, and those of a living one are not', async () => {
    await add(1, 4);
    const child = spawn(process.execPath, [join(import.meta.dirname, 'claims-process.ts'), db.url], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.push(child);
    let output = '';
    child.stdout?.on('data', (data) => (output += data));
    await until(() => expect(output).toBe('1\n2\n'));
    const other = await replica();
    await until(() => expect(ids(other.began)).toEqual([3, 4]));
    await pass();
    await pass();
    const dead = (await owners())[0];
    child.kill('SIGKILL');
    await until(async () =>
      expect((await db.pool.query('SELECT weir.session_alive($1) AS alive', [dead])).rows).toEqual([{ alive: false }]),
    );
    expect(ids(other.began)).toEqual([3, 4]);
    await pass();
    await until(() => expect(ids(other.began)).toEqual([3, 4, 1, 2]));
  });

  test('go on after a lost session under the new one, without a second begin', async () => {
    await add(1);
    const one = await replica();
    await until(() => expect(one.began).toHaveLength(1));
    const before = one.session.owner();
    await lose(one.session);
    await until(() => expect(one.session.owner()).not.toBe(before));
    await pass();
    await until(async () => expect(await owners()).toEqual([one.session.owner()]));
    await until(() => expect(one.began[0]?.owner).toBe(one.session.owner()));
    expect([one.began.length, one.replaced]).toEqual([1, []]);
  });

  test('of a later round replace the work of an earlier one, whose end does not free the row', async () => {
    await add(1);
    const one = await replica();
    await until(() => expect(one.began).toHaveLength(1));
    const [first] = one.began;
    await db.pool.query('UPDATE jobs SET owner = NULL, round = 1');
    await pass();
    await until(() => expect(one.began.map(({ round }) => round)).toEqual([0, 1]));
    expect(one.replaced).toEqual([first]);
    one.claims.drop(first as Job);
    await pass();
    await pass();
    expect([await owners(), one.began.length]).toEqual([[one.session.owner()], 2]);
  });

  test('that were inserted with their owner begin after the commit, and no look takes them for abandoned before', async () => {
    const one = await replica();
    await pass();
    const owner = one.session.owner();
    one.claims.expect([1n, 2n]);
    await db.pool.query('INSERT INTO jobs (id, lane, owner) VALUES (1, 0, $1), (2, 0, $1)', [owner]);
    await pass();
    await pass();
    expect([await owners(), one.began]).toEqual([[owner, owner], []]);
    const rows = [1n, 2n].map((id): Job => ({ id, lane: 0, owner, round: 0 }));
    one.claims.begin(rows);
    one.claims.begin(rows);
    await pass();
    expect([ids(one.began), one.claims.expected, await owners()]).toEqual([[1, 2], 0, [owner, owner]]);
  });

  test('that were inserted with their owner while the look for abandoned ones was under way are not freed by it', async () => {
    const held = Promise.withResolvers<void>();
    const pool = db.openPool();
    const query = pool.query.bind(pool);
    const waiting = Promise.withResolvers<void>();
    const one = await replica(10, {
      pool: Object.assign(Object.create(pool), {
        query: async (text: string, values: unknown[]) => {
          if (text.includes('session_alive')) {
            waiting.resolve();
            await held.promise;
          }
          return query(text, values);
        },
      }),
    });
    await waiting.promise;
    const owner = one.session.owner();
    one.claims.expect([1n]);
    await db.pool.query('INSERT INTO jobs (id, lane, owner) VALUES (1, 0, $1)', [owner]);
    held.resolve();
    await until(() => expect(clock.sleeping).toBe(1));
    expect([await owners(), one.began]).toEqual([[owner], []]);
  });

  test('that were inserted with their owner by a transaction of unknown outcome are claimed a minute later', async () => {
    const one = await replica();
    one.claims.expect([1n]);
    await db.pool.query('INSERT INTO jobs (id, lane, owner) VALUES (1, 0, $1)', [one.session.owner()]);
    for (let second = 0; second < 58; second += 1) await pass();
    expect(one.began).toEqual([]);
    for (let second = 0; second < 4; second += 1) await pass();
    await until(() => expect(ids(one.began)).toEqual([1]));
  });

  test('whose work fails are reported and taken again, and do not end the loop', async () => {
    await add(1, 2);
    const one = await replica();
    await until(() => expect(one.began).toHaveLength(2));
    one.fail(1n);
    await until(() => expect(one.errors).toEqual([{ error: new Error('job 1'), id: 1n }]));
    expect((await owners())[0]).toBe(one.session.owner());
    await pass();
    await until(() => expect(ids(one.began)).toEqual([1, 2, 1]));
    await one.finish(2n);
    await add(3);
    one.claims.notify();
    await until(() => expect(ids(one.began)).toEqual([1, 2, 1, 3]));
  });

  test('that fail themselves, or whose upkeep does, are tried again after the pause', async () => {
    await add(1);
    const faults = [new Error('upkeep'), new Error('claim')];
    const failOnce = (at: string): void => {
      if (faults[0]?.message === at) throw faults.shift() as Error;
    };
    const pool = db.openPool();
    const one = await replica(10, {
      upkeep: async () => failOnce('upkeep'),
      claim: async (owner) => {
        failOnce('claim');
        return claimJobs(pool, owner, 10);
      },
    });
    await pass();
    await pass();
    await until(() => expect(ids(one.began)).toEqual([1]));
    expect(one.errors.map(({ error }) => (error as Error).message)).toEqual(['upkeep', 'claim']);
  });

  test('follow another upkeep after refresh, and none after a notification', async () => {
    const pool = db.openPool();
    const steps: string[] = [];
    const one = await replica(10, {
      upkeep: async () => void steps.push('upkeep'),
      claim: async (owner) => {
        steps.push('claim');
        return claimJobs(pool, owner, 10);
      },
    });
    await until(() => expect(steps).toEqual(['upkeep', 'claim']));
    one.claims.notify();
    await until(() => expect(steps).toEqual(['upkeep', 'claim', 'claim']));
    one.claims.refresh();
    await until(() => expect(steps).toEqual(['upkeep', 'claim', 'claim', 'upkeep', 'claim']));
  });

  test('are made at once on NOTIFY from another connection', async () => {
    const one = await replica();
    await one.session.listen('jobs', () => one.claims.notify());
    await until(() => expect(clock.sleeping).toBe(1));
    await add(1);
    await db.openPool().query("NOTIFY jobs, 'new'");
    await until(() => expect(ids(one.began)).toEqual([1]));
  });

  test('stay held while their work has not begun, until the session ends', async () => {
    await add(1, 2);
    const one: Replica = await replica(10, {
      begin: (job) => {
        one.began.push(job);
      },
    });
    await until(() => expect(ids(one.began)).toEqual([1, 2]));
    await pass();
    const other = await replica();
    await pass(2);
    await until(() => expect(clock.sleeping).toBe(2));
    expect(other.began).toEqual([]);
    await one.claims.stop();
    await one.session.close();
    await pass();
    await until(() => expect(ids(other.began)).toEqual([1, 2]));
  });

  test('that were dropped are claimed again', async () => {
    await add(1, 2);
    const one: Replica = await replica(10, {
      begin: (job) => {
        one.began.push(job);
        if (job.id === 1n && one.began.length < 3) one.claims.drop(job);
      },
    });
    await until(() => expect(ids(one.began)).toEqual([1, 2]));
    await pass();
    await until(() => expect(ids(one.began)).toEqual([1, 2, 1]));
  });

  test('end with stop: nothing more is claimed, and it waits for the work in progress', async () => {
    await add(1, 2);
    const one = await replica(1);
    await until(() => expect(ids(one.began)).toEqual([1]));
    let hasEnded = false;
    const stopped = one.claims.stop().then(() => (hasEnded = true));
    await clock.advance(5_000);
    one.claims.notify();
    expect(hasEnded).toBe(false);
    await one.finish(1n);
    await stopped;
    expect([ids(one.began), one.claims.running, await owners()]).toEqual([[1], 0, [null, null]]);
  });
});
