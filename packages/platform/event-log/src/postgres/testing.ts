import { systemClock } from '@weir/clock';
import { migrate, openPool, openSession, type Pool, type Session, sessionMigrations } from '@weir/postgres';
import { createTestDatabase, type TestDatabase } from '@weir/postgres/testing';
import type { LogHarness } from '../behaviour.ts';
import { EventLogError } from '../errors.ts';
import type { EventLog } from '../port.ts';
import { openPostgresLog } from './log.ts';
import { eventLogMigrations } from '../migrations.ts';

export interface Client {
  readonly log: EventLog;
  readonly pool: Pool;
  readonly session: Session;
  readonly errors: unknown[];
}

export function logDatabase(): Promise<TestDatabase> {
  return createTestDatabase({
    content: ['event-log', sessionMigrations, eventLogMigrations],
    make: async (url) => {
      const pool = openPool({ url, max: 1 });
      await migrate(pool, 'postgres', sessionMigrations);
      await migrate(pool, 'event-log', eventLogMigrations);
      await pool.end();
    },
  });
}

/** A client with its own pool and session, as a process has. */
export async function openClient(database: TestDatabase): Promise<Client> {
  const pool = database.openPool();
  const session = await openSession({ url: database.url, clock: systemClock });
  const errors: unknown[] = [];
  const log = openPostgresLog({ pool, session, clock: systemClock, onError: (error) => errors.push(error) });
  return { log, pool, session, errors };
}

export interface OneClient extends Client {
  readonly database: TestDatabase;
  close(): Promise<void>;
}

/** A client with a database of its own, where topic `t` has one partition. */
export async function openOneClient(): Promise<OneClient> {
  const database = await logDatabase();
  const client = await openClient(database);
  await client.log.createTopics([{ name: 't', partitions: 1 }]);
  const close = async (): Promise<void> => {
    await client.log.close();
    await client.session.close();
    await database.drop();
  };
  return { ...client, database, close };
}

export async function postgresHarness(): Promise<LogHarness> {
  const database = await logDatabase();
  const clients = new Map<EventLog, Client>();
  const errors: unknown[] = [];
  return {
    open: async () => {
      const client = await openClient(database);
      clients.set(client.log, client);
      const close = client.log.close.bind(client.log);
      return Object.assign(client.log, {
        close: async () => {
          await close();
          if (!clients.delete(client.log)) return;
          errors.push(...client.errors.filter((error) => !(error instanceof EventLogError && error.code === 'LOG_GAP')));
          await client.session.close();
          await client.pool.end();
        },
      });
    },
    abandon: async (log) => {
      const client = clients.get(log);
      clients.delete(log);
      // Without connections it can neither commit nor leave.
      void client?.pool.end();
      await client?.session.close();
    },
    expire: async (topic) => {
      await database.pool.query(
        `WITH moved AS (
           UPDATE log.partitions p SET first_offset = next_offset FROM log.topics t WHERE t.id = p.topic AND t.name = $1 RETURNING p.topic)
         DELETE FROM log.records r USING (SELECT DISTINCT topic FROM moved) m WHERE r.topic = m.topic`,
        [topic],
      );
    },
    forget: async (group) => {
      await database.pool.query('DELETE FROM log.assignments WHERE group_id = (SELECT id FROM log.groups WHERE name = $1)', [group]);
    },
    errors: (log) => clients.get(log)?.errors ?? [],
    close: async () => {
      await Promise.all([...clients.keys()].map((log) => log.close()));
      await database.drop();
      // The database was healthy, so no background work may have failed.
      if (errors.length > 0) throw errors[0];
    },
  };
}
