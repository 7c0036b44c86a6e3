import { createRiskStore } from '@weir/chain-store';
import { ManualClock, systemClock } from '@weir/clock';
import type { Pool } from '@weir/postgres';
import type { RiskStore } from '@weir/risk-engine';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hashKey } from '../keys/keys.ts';
import { addressOf, type ChangesWorld, clocksAgreeMs, nameOf, openChangesWorld } from './changes.testing.ts';
import { ChangesSweep } from './sweep.ts';

const [thief, mule, user, stranger] = [101, 102, 103, 104];
const transfers = [
  [thief, mule, 100],
  [mule, user, 100],
] as const;
const [ofUser, ofMule, ofStranger] = [user, mule, stranger].map(addressOf) as [
  ReturnType<typeof addressOf>,
  ReturnType<typeof addressOf>,
  ReturnType<typeof addressOf>,
];

let clock: ManualClock;
let world: ChangesWorld;
beforeEach(async () => {
  // The database's clock decides whether a label begins or ends in the future.
  clock = new ManualClock(systemClock.now());
  world = await openChangesWorld(clock);
  await world.transfers(transfers);
});
afterEach(() => world.close());

const rows = async (table: string): Promise<number> => (await world.database.pool.query(`SELECT FROM risk.${table}`)).rows.length;

describe('a label that begins and ends by itself', () => {
  it('is told when it has begun, and when it has ended, by every clock', async () => {
    const [begins, ends] = [clock.now() + 3_600_000, clock.now() + 7_200_000];
    const dated = { valid_from: new Date(begins).toISOString(), valid_to: new Date(ends).toISOString() };
    await world.score(ofUser);
    await world.label(thief, dated);
    // Its presence counts at once: labelled counterparties are listed first.
    expect(await world.settle()).toBe(1);
    expect((await world.score(ofUser)).level).toBe('Low');
    await clock.advance(3_600_000 + clocksAgreeMs - 1);
    expect(await world.settle()).toBe(0);
    await clock.advance(1);
    expect(await world.settle()).toBe(1);
    expect((await world.score(ofUser)).level).toBe('High');
    await clock.advance(3_600_000);
    expect(await world.settle()).toBe(1);
    expect((await world.score(ofUser)).level).toBe('Low');
    expect(await rows('label_changes')).toBe(0);
  });

  it('is not told of an end that was corrected meanwhile', async () => {
    const until = (ms: number): { valid_to: string } => ({ valid_to: new Date(clock.now() + ms).toISOString() });
    await world.label(thief, until(3_600_000));
    await world.settle();
    await world.score(ofUser);
    await world.label(thief, until(50 * 3_600_000));
    expect(await world.settle()).toBe(1);
    await clock.advance(3_700_000);
    expect(await world.settle()).toBe(0);
    expect(await rows('label_changes')).toBe(1);
  });
});

describe('a score that is computed while a label changes', () => {
  /** A store that reads labels, and returns them only after `meanwhile`. */
  function interrupted(meanwhile: () => Promise<void>): RiskStore {
    const store = createRiskStore(world.database.pool);
    return {
      ...store,
      labelsOf: async (...of) => {
        const found = await store.labelsOf(...of);
        await meanwhile();
        return found;
      },
    };
  }

  /** Without any score, as before the first import, changes are not recorded one by one. */
  describe.each([
    { when: 'it is the first', others: [] },
    { when: 'there are others', others: [ofStranger] },
  ])('where $when', ({ others }) => {
    beforeEach(async () => {
      for (const subject of others) await world.score(subject, { key: 'other' });
    });
    afterEach(async () => expect(await world.changed('other')).toEqual([]));

    it('is computed again when the change was taken up before it was stored: nothing is told, for it is in it', async () => {
      let done = false;
      const store = interrupted(async () => {
        if (done) return;
        done = true;
        await world.label(thief);
        expect(await world.settle()).toBe(0);
      });
      expect((await world.score(ofUser, { store })).level).toBe('High');
      expect([done, await world.settle(), await world.changed()]).toEqual([true, 0, []]);
      expect((await world.cached(ofUser))?.level).toBe('High');
    });

    it('is told as changed when it was stored before the change was taken up', async () => {
      let labels = 0;
      const store = interrupted(async () => {
        labels += 1;
        await world.label(thief, { name: `Heist ${labels}` });
      });
      await world.score(ofUser, { store });
      // Each of these labels costs the first score a turn; at last it is stored as outdated.
      expect((await world.cached(ofUser)) !== undefined).toBe(others.length > 0);
      expect(await world.settle()).toBe(1);
      expect(await world.cached(ofUser)).toBe(undefined);
      expect((await world.score(ofUser)).level).toBe('High');
    });
  });

  it('is stored at last where labels never stop changing, is answered to nobody, and told as changed', async () => {
    let turns = 0;
    const store = interrupted(async () => {
      turns += 1;
      await world.label(stranger, { name: `Name ${turns}` });
      await world.settle();
    });
    await world.score(ofUser, { store });
    expect(await world.cached(ofUser)).toBe(undefined);
    expect(await world.settle()).toBe(1);
    expect(await world.changed()).toEqual([nameOf(ofUser)]);
  });
});

describe('whoever asks for a score', () => {
  it('while it is being told as changed waits, and gets no old one', async () => {
    await world.score(ofUser, { key: 'first' });
    await world.label(thief);
    const { pool } = world.database;
    await pool.query('SELECT risk.take_label_changes(now(), 10)');
    await pool.query('SELECT risk.expand_label_changes(10, 10)');
    const client = await pool.connect();
    await client.query('BEGIN');
    await client.query('SELECT * FROM risk.notify_changed_subjects(now(), 10)');
    const asked = world.score(ofUser, { key: 'second' });
    const waits = `SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
    try {
      await expect.poll(async () => (await pool.query(waits)).rows.length, { timeout: 5_000 }).toBe(1);
    } finally {
      await client.query('COMMIT');
      client.release();
    }
    expect((await asked).level).toBe('High');
    expect(await world.changed('first')).toEqual([nameOf(ofUser)]);
    expect(await world.changed('second')).toEqual([]);
  });

  it('is told of what he asked for, and of nothing else', async () => {
    await world.score(ofUser, { key: 'a' });
    await world.score(ofUser, { key: 'b' });
    await world.score(ofMule, { key: 'b' });
    await world.score(ofStranger, { key: 'c' });
    await world.label(thief);
    expect(await world.settle()).toBe(3);
    expect([await world.changed('a'), (await world.changed('b')).toSorted(), await world.changed('c')]).toEqual([
      [nameOf(ofUser)],
      [nameOf(ofMule), nameOf(ofUser)].toSorted(),
      [],
    ]);
  });

  it('sees a subject that changed twice once, under its newest number', async () => {
    await world.score(ofUser);
    await world.score(ofMule);
    await world.label(thief);
    await world.settle();
    await world.label(mule, { category: 'scam' });
    await world.settle();
    await world.label(stranger);
    expect(await world.settle()).toBe(0);
    expect((await world.changed()).toSorted()).toEqual([nameOf(ofMule), nameOf(ofUser)].toSorted());
    expect((await world.changed('k', 2n)).toSorted()).toEqual([nameOf(ofMule), nameOf(ofUser)].toSorted());
    expect(await world.changed('k', 4n)).toEqual([]);
  });
});

describe('two replicas', () => {
  it('tell each change once', async () => {
    const users = Array.from({ length: 40 }, (_, n) => 200 + n);
    await world.transfers(users.map((to) => [mule, to, 1] as const));
    for (const to of users) await world.score(addressOf(to));
    await world.label(thief);
    await Promise.all([world.settle(), world.settle(), world.settle()]);
    await world.settle();
    expect((await world.changed()).toSorted()).toEqual(users.map((to) => nameOf(addressOf(to))).toSorted());
    const { rows: state } = await world.database.pool.query<{ last: number }>('SELECT last_number::int AS last FROM risk.label_state');
    expect(state).toEqual([{ last: users.length }]);
  });
});

/** A pool that loses its connection once, at the commit after that statement. */
function losing(pool: Pool, after: string): { pool: Pool; lost: () => boolean } {
  let lost = false;
  const lossy: Pool = {
    ...pool,
    connect: async () => {
      const client = await pool.connect();
      let armed = false;
      return new Proxy(client, {
        get: (of, name) => {
          const value: unknown = Reflect.get(of, name);
          if (name !== 'query') return typeof value === 'function' ? value.bind(of) : value;
          return async (query: string | { text: string }) => {
            const text = typeof query === 'string' ? query : query.text;
            if (armed && text === 'COMMIT') {
              lost = true;
              await of.query('ROLLBACK');
              throw new Error('the connection was lost');
            }
            armed ||= !lost && text.includes(after);
            return of.query(query as string);
          };
        },
      });
    },
  };
  return { pool: lossy, lost: () => lost };
}

describe('a process that ends in the middle', () => {
  it.each(['take_label_changes', 'expand_label_changes', 'notify_changed_subjects'])(
    'before the commit of %s loses nothing',
    async (step) => {
      await world.score(ofUser);
      await world.score(ofMule);
      await world.label(thief);
      const { pool, lost } = losing(world.database.pool, step);
      await expect(world.settle(world.processor(pool))).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE' });
      expect([lost(), await world.changed()]).toEqual([true, []]);
      expect(await world.settle()).toBe(2);
      expect((await world.changed()).toSorted()).toEqual([nameOf(ofMule), nameOf(ofUser)].toSorted());
      expect([await rows('label_changes'), await rows('changed_subjects')]).toEqual([0, 0]);
    },
  );

  it('before the commit of an import changes nothing', async () => {
    await world.score(ofUser);
    const { pool } = world.database;
    await pool.query('ALTER TABLE chain.edges RENAME TO gone');
    await expect(world.label(thief)).rejects.toThrow();
    await pool.query('ALTER TABLE chain.gone RENAME TO edges');
    expect([await rows('label_changes'), await world.settle()]).toEqual([0, 0]);
  });
});

describe('what is kept', () => {
  const day = 86_400_000;
  const sweep = (): Promise<number> =>
    new ChangesSweep(world.database.pool).sweep({ askedBefore: new Date(clock.now() - 90 * day), limit: 1 });

  it('ends with who watches it, and with the last score that might be answered', async () => {
    await world.score(ofUser, { key: 'a' });
    await clock.advance(60 * day);
    await world.score(ofUser, { key: 'b' });
    await clock.advance(31 * day);
    const counts = async (): Promise<number[]> => [await rows('watches'), await rows('reached')];
    expect([await sweep(), ...(await counts())]).toEqual([1, 1, 1]);
    await clock.advance(60 * day);
    // The watch goes, the index entry stays as long as there are scores.
    expect([await sweep(), ...(await counts())]).toEqual([1, 0, 1]);
    await world.database.pool.query('DELETE FROM risk.runs');
    expect([await sweep(), ...(await counts())]).toEqual([1, 0, 0]);
  });

  it('is gone round a part at a time', async () => {
    for (const n of [1, 2, 3, 4, 5]) await world.score(addressOf(300 + n), { key: 'a' });
    await world.database.pool.query('DELETE FROM risk.watches');
    await world.database.pool.query('DELETE FROM risk.runs');
    const round = new ChangesSweep(world.database.pool);
    const gone: number[] = [];
    for (let n = 0; n < 4; n += 1) gone.push(await round.sweep({ askedBefore: new Date(0), limit: 2 }));
    expect(gone).toEqual([2, 2, 1, 0]);
    expect(await rows('reached')).toBe(0);
  });

  it('is noted once a day for who asks again', async () => {
    const asked = async (): Promise<Date[]> =>
      (
        await world.database.pool.query<{ asked_at: Date }>('SELECT asked_at FROM risk.watches WHERE key_sha256 = $1', [hashKey('k')])
      ).rows.map(({ asked_at }) => asked_at);
    const start = new Date(clock.now());
    await world.score(ofUser);
    await clock.advance(day - 1);
    await world.score(ofUser);
    expect(await asked()).toEqual([start]);
    await clock.advance(1);
    await world.score(ofUser);
    expect(await asked()).toEqual([new Date(clock.now())]);
  });
});
