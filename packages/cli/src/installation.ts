import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '@weir/clock';
import { connectToRunning, startEmbeddedPostgres } from '@weir/postgres';
import { createLogger, kafkaTier, type OpenPipeline, openPipeline, untilSignal } from '@weir/service-kit';
import { Interrupted } from './failure.ts';
import type { PlaceFlags } from './flags.ts';
import { loadSettings } from './load.ts';
import type { AllSettings } from './settings.ts';

/** The database of an installation, for the time of one command. */
export interface OpenDatabase {
  /** Holds the password: never to be shown. */
  readonly url: string;
  /** `running`: the embedded server of a Weir that runs; `started`: started by us; `given`: that of DATABASE_URL. */
  readonly how: 'given' | 'running' | 'started';
  close(): Promise<void>;
}

/** Connections of one command; it does one thing at a time. */
const poolSize = 4;

/** Whether this folder holds the embedded database. */
export function holdsDatabase(dataDir: string): boolean {
  return existsSync(join(dataDir, 'postgres', 'PG_VERSION'));
}

/** The database that a command is about: DATABASE_URL unless a folder with a database is named, else the embedded one. Undefined when there is none. */
export async function openDatabase(flags: PlaceFlags, settings: AllSettings): Promise<OpenDatabase | undefined> {
  const { databaseUrl, dataDir } = settings;
  if (databaseUrl !== '' && !(flags.dataDir !== undefined && holdsDatabase(dataDir))) {
    return { url: databaseUrl, how: 'given', close: async () => undefined };
  }
  const running = connectToRunning(dataDir);
  if (running !== undefined) return { url: running, how: 'running', close: async () => undefined };
  if (!holdsDatabase(dataDir)) return undefined;
  const server = await startEmbeddedPostgres({ dataDir, clock: systemClock });
  return { url: server.url, how: 'started', close: () => server.stop() };
}

/** Opens the installation that the flags name, does the work, and leaves it as it was found, on Ctrl-C too: then after what the work has put into `undo`. */
export async function withInstallation<T>(
  flags: PlaceFlags,
  work: (pipeline: OpenPipeline, settings: AllSettings, undo: (() => Promise<unknown>)[]) => Promise<T>,
): Promise<T> {
  const settings = loadSettings(flags);
  const tier = kafkaTier(settings);
  return untilInterrupted(async (undo) => {
    const opening = openDatabase(flags, settings);
    // Also when the signal comes while it is still being opened.
    undo.push(() => opening.then((opened) => opened?.close()));
    const database = await opening;
    if (database === undefined)
      throw new Error(`there is no Weir in ${settings.dataDir}; start it once (npm start), or name its --data-dir or DATABASE_URL`);
    const logger = createLogger({ service: 'weir', level: settings.logLevel });
    const joining = openPipeline({
      databaseUrl: database.url,
      tier,
      clock: systemClock,
      logger,
      poolSize,
      retentionMs: settings.retentionMs,
    });
    undo.push(() => joining.then((pipeline) => pipeline.close()));
    return work(await joining, settings, undo);
  });
}

/** Runs the work until it is done or a signal comes, and then undoes what it has put into `undo`, last first. */
export async function untilInterrupted<T>(work: (undo: (() => Promise<unknown>)[]) => Promise<T>): Promise<T> {
  const undo: (() => Promise<unknown>)[] = [];
  const interrupted = untilSignal().then((): never => {
    throw new Interrupted();
  });
  try {
    return await Promise.race([work(undo), interrupted]);
  } finally {
    for (const step of undo.splice(0).toReversed()) await step().catch(() => undefined);
  }
}
