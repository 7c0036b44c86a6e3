import { systemClock } from '@weir/clock';
import { migrate } from '@weir/postgres';
import { createTestDatabase, type TestDatabase } from '@weir/postgres/testing';
import { Access, accessMigrations, createApp, createLogger, createMetrics, type Operation, roles, storeToken } from '@weir/service-kit';
import type { TestEvent } from './events.testing.ts';
import { consoleMigrations } from './migrations.ts';
import { project } from './project.ts';
import { type ScreeningEvent, screeningUpdateOf } from './screening-update.ts';

/** Operations of the console over a projection on a real database, with a token for each role. */
export interface TestApi {
  readonly db: TestDatabase;
  /** All log lines. */
  logs(): string;
  take(events: readonly TestEvent[]): Promise<void>;
  /** With the auditor's token, unless another is given; '' sends none. */
  get(path: string, token?: string): Promise<Response>;
  /** As it is. */
  send(path: string, request: RequestInit): Promise<Response>;
  close(): Promise<void>;
}

export async function openTestApi(operations: (db: TestDatabase['pool'], access: Access) => readonly Operation[]): Promise<TestApi> {
  const db = await createTestDatabase();
  await migrate(db.pool, 'access', accessMigrations);
  await migrate(db.pool, 'console', consoleMigrations);
  for (const role of roles) await storeToken(db.pool, `token-${role}`, role, role);
  let logged = '';
  const logger = createLogger({ service: 'console', level: 'info', destination: { write: (line: string) => void (logged += line) } });
  const access = new Access({ db: db.pool, clock: systemClock, logger, metrics: createMetrics() });
  const app = createApp(logger, operations(db.pool, access));
  return {
    db,
    logs: () => logged,
    take: (events) =>
      project(
        db.pool,
        events.map((event) => screeningUpdateOf({ ...event, record: undefined } as unknown as ScreeningEvent)),
        { dueMs: 0 },
      ),
    get: async (path, token = 'token-auditor') => app.request(path, token === '' ? {} : { headers: { authorization: `Bearer ${token}` } }),
    send: async (path, request) => app.request(path, request),
    close: () => db.drop(),
  };
}
