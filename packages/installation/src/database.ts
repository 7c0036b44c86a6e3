import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '@weir/clock';
import { connectToRunning, openPool, type Pool, startEmbeddedPostgres } from '@weir/postgres';

/** The database of an installation, opened for one command. */
export interface OpenDatabase {
  /** Contains the password; never print it. */
  readonly url: string;
  /** `running`: the embedded server of a running Weir; `started`: started by this command; `given`: from DATABASE_URL. */
  readonly how: 'given' | 'running' | 'started';
  close(): Promise<void>;
}

export interface OpenDatabaseOptions {
  readonly databaseUrl: string;
  readonly dataDir: string;
  /** The caller named the folder: its database goes before DATABASE_URL. */
  readonly isFolderNamed: boolean;
  readonly clock: Clock;
}

/** Whether the folder has a database of its own. */
export function holdsDatabase(dataDir: string): boolean {
  return existsSync(join(dataDir, 'postgres', 'PG_VERSION'));
}

/** Whether a command takes the database of DATABASE_URL: unless a folder with a database is named. */
export function takesGiven({ databaseUrl, dataDir, isFolderNamed }: Omit<OpenDatabaseOptions, 'clock'>): boolean {
  return databaseUrl !== '' && !(isFolderNamed && holdsDatabase(dataDir));
}

/** DATABASE_URL, unless a folder with a database is named; else the embedded one. Undefined when there is none. */
export async function openDatabase(options: OpenDatabaseOptions): Promise<OpenDatabase | undefined> {
  const { databaseUrl, dataDir, clock } = options;
  if (takesGiven(options)) return { url: databaseUrl, how: 'given', close: nothing };
  const running = connectToRunning(dataDir);
  if (running !== undefined) return { url: running, how: 'running', close: nothing };
  if (!holdsDatabase(dataDir)) return undefined;
  const server = await startEmbeddedPostgres({ dataDir, clock });
  return { url: server.url, how: 'started', close: () => server.stop() };
}

/** Connects as the owner, for the duration of a command. */
export async function asOwner<T>(ownerUrl: string, work: (pool: Pool) => Promise<T>): Promise<T> {
  const pool = openPool({ url: ownerUrl, max: 2 });
  try {
    return await work(pool);
  } finally {
    await pool.end();
  }
}

const nothing = async (): Promise<void> => undefined;
