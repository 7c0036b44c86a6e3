import { type AddressInfo, connect as connectTo, createServer, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openPool, type Pool, prepared, transaction } from './index.ts';
import { createTestDatabase, type TestDatabase } from './testing.ts';

let db: TestDatabase;
let pool: Pool;
beforeEach(async () => {
  db = await createTestDatabase();
  pool = db.pool;
  await pool.query('CREATE TABLE notes (n int8 PRIMARY KEY)');
});
afterEach(() => db.drop());

const notes = async () => (await pool.query<{ n: bigint }>('SELECT n FROM notes ORDER BY n')).rows.map(({ n }) => n);
const insert = 'INSERT INTO notes VALUES ($1)';

describe('a transaction', () => {
  test('is committed when its work resolves, with what it resolves to', async () => {
    const result = await transaction(pool, async (tx) => {
      await tx.query(insert, [1]);
      await tx.query(insert, [2]);
      expect(await notes()).toEqual([]);
      return 'done';
    });
    expect([result, await notes()]).toEqual(['done', [1n, 2n]]);
  });

  test('may have a limit of its own for its statements, which ends with it', async () => {
    const hasty = db.openPool({ max: 1, statementTimeoutMs: 500 });
    const nap = 'SELECT pg_sleep(1)';
    await expect(hasty.query(nap)).rejects.toMatchObject({ code: '57014' });
    await transaction(hasty, (tx) => tx.query(nap), { statementTimeoutMs: 30_000 });
    await expect(hasty.query(nap)).rejects.toMatchObject({ code: '57014' });
  });

  test('is rolled back when its work rejects, with what it rejects with', async () => {
    const fault = new Error('no');
    const work = transaction(pool, async (tx) => {
      await tx.query(insert, [1]);
      throw fault;
    });
    await expect(work).rejects.toBe(fault);
    expect(await notes()).toEqual([]);
  });

  test('never resolves when a failed statement was passed over, for PostgreSQL has committed nothing', async () => {
    const work = transaction(pool, async (tx) => {
      await tx.query(insert, [1]);
      await tx.query('SELECT 1 / 0').catch(() => undefined);
      return 'done';
    });
    await expect(work).rejects.toThrow('nothing was committed');
    expect(await notes()).toEqual([]);
  });

  test('keeps the SQLSTATE of what PostgreSQL refuses', async () => {
    await expect(transaction(pool, (tx) => tx.query('SELECT 1 / 0'))).rejects.toMatchObject({ code: '22012' });
  });

  test('carries out what is started together in that order, each with its own answer', async () => {
    const twice = prepared('SELECT count(*)::int AS count, $1::text AS asked FROM notes');
    for (const round of [1, 2]) {
      const answers = await transaction(pool, (tx) =>
        Promise.all([
          tx.query(twice, ['before']),
          tx.query(insert, [round]),
          tx.query(twice, ['between']),
          tx.query(insert, [10 + round]),
          tx.query(twice, ['after']),
        ]),
      );
      const before = (round - 1) * 2;
      expect(answers.flatMap(({ rows }) => rows)).toEqual([
        { count: before, asked: 'before' },
        { count: before + 1, asked: 'between' },
        { count: before + 2, asked: 'after' },
      ]);
    }
  });

  test('of which one that was started with others fails leaves nothing, and the connection is as good as before', async () => {
    const one = db.openPool({ max: 1 });
    for (const divisor of [0, 0, 1]) {
      const work = transaction(one, (tx) =>
        Promise.all([tx.query(insert, [1]), tx.query('SELECT 1 / $1::int', [divisor]), tx.query(insert, [2])]),
      );
      if (divisor === 0) await expect(work).rejects.toMatchObject({ code: '22012' });
      else await work;
    }
    expect(await notes()).toEqual([1n, 2n]);
  });

  test.each([1, 4])('whose connection is killed midway rejects, and a pool of %i still works', async (max) => {
    const small = db.openPool({ max });
    for (let round = 0; round < 6; round += 1) {
      const work = transaction(small, async (tx) => {
        await tx.query(insert, [round]);
        const { rows } = await tx.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
        await pool.query('SELECT pg_terminate_backend($1)', [rows[0]?.pid]);
        // Half of the rounds learn of it between two statements, half by the next statement.
        if (round % 2 === 0) await gone(rows[0]?.pid);
        await tx.query(insert, [100 + round]);
      });
      const failure = await work.catch((error: unknown) => error as { code: string });
      expect(['57P01', 'DATABASE_UNAVAILABLE']).toContain((failure as { code: string }).code);
      expect((await small.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    }
    expect(await notes()).toEqual([]);
    await transaction(small, (tx) => tx.query(insert, [7]));
    expect(await notes()).toEqual([7n]);
  });

  test('more than there are connections wait for their turn', async () => {
    const small = db.openPool({ max: 2 });
    await Promise.all(Array.from({ length: 20 }, (_, n) => transaction(small, (tx) => tx.query(insert, [n]))));
    expect(await notes()).toHaveLength(20);
  });
});

describe('a pool', () => {
  test('reads int8 as bigint, in arrays of rows, nulls and counts, and leaves other numbers as they are', async () => {
    const { rows } = await pool.query(
      `SELECT 9223372036854775807::int8 AS largest, (-9223372036854775808)::int8 AS smallest, null::int8 AS nothing, count(*) AS none,
              7::int4 AS int4, 0.10::numeric AS exact, 1.5::float8 AS float FROM notes`,
    );
    expect(rows).toEqual([
      { largest: 2n ** 63n - 1n, smallest: -(2n ** 63n), nothing: null, none: 0n, int4: 7, exact: '0.10', float: 1.5 },
    ]);
  });

  test('replaces connections that are killed while idle, and tells of them', async () => {
    const errors: Error[] = [];
    const idle = db.openPool({ onError: (error) => errors.push(error), max: 1 });
    const { rows } = await idle.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    await pool.query('SELECT pg_terminate_backend($1)', [rows[0]?.pid]);
    await vi.waitFor(() => expect(errors).toHaveLength(1));
    expect((await idle.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  });

  test('ends a statement that takes longer than its limit', async () => {
    const strict = db.openPool({ statementTimeoutMs: 50 });
    await expect(strict.query('SELECT pg_sleep(20)')).rejects.toMatchObject({ code: '57014' });
  });

  test('keeps the mistakes of its callers what they are', async () => {
    const circular: { self?: unknown } = {};
    circular.self = circular;
    await expect(pool.query('SELECT $1::jsonb', [circular])).rejects.toThrow(TypeError);
  });

  test('says that the database cannot be reached when its server goes without a goodbye', async () => {
    const sockets: Socket[] = [];
    const server = createServer((socket) => {
      sockets.push(socket);
      socket.once('data', () => socket.destroy());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const away = openPool({ url: `postgres://u:p@127.0.0.1:${port}/d` });
    const unavailable = { code: 'DATABASE_UNAVAILABLE', retriable: true };
    await expect(away.query('SELECT 1')).rejects.toMatchObject(unavailable);
    await expect(transaction(away, (tx) => tx.query('SELECT 1'))).rejects.toMatchObject(unavailable);
    await new Promise((resolve) => server.close(resolve));
    await expect(away.query('SELECT 1')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await away.end();
    expect(sockets.length).toBe(2);
  });
});

async function gone(pid: number | undefined): Promise<void> {
  await vi.waitFor(async () => expect((await pool.query('SELECT FROM pg_stat_activity WHERE pid = $1', [pid])).rowCount).toBe(0));
}

test('a connection that the server ends in the moment it changes hands ends no process', async () => {
  const { hostname, port } = new URL(db.url);
  const fields = ['SFATAL', 'C57P01', 'Mterminating connection'].map((field) => `${field}\0`).join('');
  const length = Buffer.alloc(4);
  length.writeUInt32BE(4 + fields.length + 1);
  const farewell = Buffer.concat([Buffer.from('E'), length, Buffer.from(`${fields}\0`)]);
  // Forwards everything, and adds the server's last message to the answer that holds the mark.
  const proxy = createServer((near: Socket) => {
    const far = connectTo({ host: decodeURIComponent(hostname), port: Number(port) });
    near.pipe(far);
    far.on('data', (bytes: Buffer) => (bytes.includes('the mark') ? near.end(Buffer.concat([bytes, farewell])) : near.write(bytes)));
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const)
      one.on('error', () => other.destroy()).on('close', () => other.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const url = new URL(db.url);
  url.host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const own = openPool({ url: url.href, max: 1 });
  const uncaught: unknown[] = [];
  const hear = (error: unknown): void => void uncaught.push(error);
  const others = process.rawListeners('uncaughtException');
  process.removeAllListeners('uncaughtException').on('uncaughtException', hear);
  try {
    await own.query('SELECT 1');
    const [first, next] = await Promise.allSettled([own.query("SELECT 'the mark'"), transaction(own, (tx) => tx.query('SELECT 2'))]);
    expect([first.status, next.status]).toEqual(['fulfilled', 'rejected']);
    expect(uncaught).toEqual([]);
    expect((await own.query<{ n: number }>('SELECT 3 AS n')).rows).toEqual([{ n: 3 }]);
  } finally {
    process.removeListener('uncaughtException', hear);
    for (const other of others) process.on('uncaughtException', other as () => void);
    await own.end();
    proxy.close();
  }
});
