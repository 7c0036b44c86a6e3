import { systemClock } from '@weir/clock';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { migrate, openSession, type Queryable, type Session, sessionMigrations, transaction } from './index.ts';
import { createTestDatabase, type TestDatabase } from './testing.ts';

let db: TestDatabase;
let errors: Error[];
const open: Session[] = [];
beforeEach(async () => {
  db = await createTestDatabase();
  errors = [];
  await migrate(db.pool, 'session', sessionMigrations);
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((opened) => opened.close()));
  await db.drop();
});

async function session(): Promise<Session> {
  const opened = await openSession({ url: db.url, clock: systemClock, onError: (error) => errors.push(error) });
  open.push(opened);
  return opened;
}

const alive = async (owner: string, by: Queryable = db.pool) =>
  (await by.query<{ alive: boolean }>('SELECT weir.session_alive($1) AS alive', [owner])).rows[0]?.alive;
const notify = (channel: string, payload: string) => db.pool.query('SELECT pg_notify($1, $2)', [channel, payload]);
const terminate = (owner: string) => db.pool.query('SELECT pg_terminate_backend(pid) FROM weir.sessions WHERE owner = $1', [owner]);
/** The next heartbeat, at most two seconds later, detects it. */
const patience = { timeout: 10_000, interval: 20 };

describe('weir.session_alive', () => {
  test('is true while the session lives, and false once it was closed', async () => {
    const [first, second] = [await session(), await session()];
    expect(first.owner()).not.toBe(second.owner());
    expect([await alive(first.owner()), await alive(second.owner())]).toEqual([true, true]);
    await first.close();
    expect([await alive(first.owner()), await alive(second.owner())]).toEqual([false, true]);
    expect((await db.pool.query('SELECT owner FROM weir.sessions')).rows).toEqual([{ owner: second.owner() }]);
  });

  test('is false of nobody', async () => {
    expect([await alive(''), await alive('1@2')]).toEqual([false, false]);
  });

  test('is false as soon as the backend is gone, also when another process has its number', async () => {
    const lost = await session();
    const owner = lost.owner();
    await terminate(owner);
    await vi.waitFor(async () => expect(await alive(owner)).toBe(false), patience);
    await db.pool.query('UPDATE weir.sessions SET pid = pg_backend_pid(), heartbeat_at = clock_timestamp() WHERE owner = $1', [owner]);
    expect(await alive(owner)).toBe(false);
  });

  test('is false when the process has hung, its connection open', async () => {
    const hung = await session();
    // The transaction keeps the next heartbeat out.
    await transaction(db.pool, async (tx) => {
      await tx.query("UPDATE weir.sessions SET heartbeat_at = clock_timestamp() - interval '11 seconds'");
      expect(await alive(hung.owner(), tx)).toBe(false);
    });
    await vi.waitFor(async () => expect(await alive(hung.owner())).toBe(true), patience);
  });
});

describe('a session', () => {
  test('hears what is told through any connection from when listen resolves, each listener each time', async () => {
    const [one, other] = [await session(), await session()];
    const heard: string[] = [];
    // Concurrently: the second must not resolve before the first has made the server listen.
    const [, stop] = await Promise.all([
      one.listen('Weir "news"', (payload) => heard.push(`a ${payload}`)),
      one.listen('Weir "news"', (payload) => heard.push(`b ${payload}`)),
      other.listen('Weir "news"', (payload) => heard.push(`c ${payload}`)),
      other.listen('elsewhere', (payload) => heard.push(`d ${payload}`)),
    ]);
    await db.openPool().query(`SELECT pg_notify('Weir "news"', '1')`);
    await vi.waitFor(() => expect(heard.toSorted()).toEqual(['a 1', 'b 1', 'c 1']));
    stop();
    await notify('Weir "news"', '2');
    await vi.waitFor(() => expect(heard.toSorted()).toEqual(['a 1', 'a 2', 'b 1', 'c 1', 'c 2']));
  });

  test('reconnects under a new name, says that something may have been missed, and hears again', async () => {
    const one = await session();
    const before = one.owner();
    const heard: string[] = [];
    await one.listen('news', (payload) => heard.push(`news ${payload}`));
    await one.listen('other', (payload) => heard.push(`other ${payload}`));
    await terminate(before);
    await vi.waitFor(() => expect(heard).toEqual(['news ', 'other ']), patience);
    expect(one.owner()).not.toBe(before);
    expect([await alive(before), await alive(one.owner())]).toEqual([false, true]);
    await notify('news', '1');
    await vi.waitFor(() => expect(heard).toEqual(['news ', 'other ', 'news 1']));
  });

  test('takes listeners while its connection is away', async () => {
    const one = await session();
    await terminate(one.owner());
    const owner = one.owner();
    await vi.waitFor(async () => expect(await alive(owner)).toBe(false));
    const heard: string[] = [];
    await one.listen('news', (payload) => heard.push(payload));
    await vi.waitFor(() => expect(heard[0]).toBe(''), patience);
    await notify('news', '1');
    await vi.waitFor(() => expect(heard).toEqual(['', '1']));
  });

  test('that was tidied away while it was silent comes back under a name that lives', async () => {
    const one = await session();
    const before = one.owner();
    const heard: string[] = [];
    await one.listen('news', (payload) => heard.push(payload));
    await db.pool.query('DELETE FROM weir.sessions');
    await vi.waitFor(async () => expect(await alive(one.owner())).toBe(true), patience);
    expect(one.owner()).not.toBe(before);
    expect(heard).toEqual(['']);
  });

  test('keeps hearing when a listener throws', async () => {
    const one = await session();
    const heard: string[] = [];
    await one.listen('news', () => {
      throw new Error('listener');
    });
    await one.listen('news', (payload) => heard.push(payload));
    await notify('news', '1');
    await notify('news', '2');
    await vi.waitFor(() => expect(heard).toEqual(['1', '2']));
    expect(errors.map(({ message }) => message)).toEqual(['listener', 'listener']);
  });

  test('can be closed while its connection is away, and twice', async () => {
    const one = await session();
    await terminate(one.owner());
    await one.close();
    await one.close();
  });

  test('does not open without a database', async () => {
    await expect(openSession({ url: 'postgres://u:p@127.0.0.1:1/d', clock: systemClock })).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });
});
