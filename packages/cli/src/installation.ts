import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '@weir/clock';
import { connectToRunning, startEmbeddedPostgres } from '@weir/postgres';
import { createLogger, kafkaTier, type OpenPipeline, openPipeline, untilSignal } from '@weir/service-kit';
import { Interrupted } from './failure.ts';
import type { PlaceFlags } from './flags.ts';
import { loadSettings } from './load.ts';
import type { AllSettings } from './settings.ts';

/** The database of an installation, opened for one command. */
export interface OpenDatabase {
  /** Contains the password; never print it. */
  readonly url: string;
  /** `running`: the embedded server of a running Weir; `started`: started by this command; `given`: from DATABASE_URL. */
  readonly how: 'given' | 'running' | 'started';
  close(): Promise<void>;
}

/** A command does one thing at a time. */
const poolSize = 4;

export function holdsDatabase(dataDir: string): boolean {
  return existsSync(join(dataDir, 'postgres', 'PG_VERSION'));
}

/** DATABASE_URL, unless a folder with a database is named; else the embedded one. Undefined when there is none. */
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

/** Opens the installation, does the work, and restores the previous state, also on Ctrl-C. The steps in `undo` run first. */
export async function withInstallation<T>(
  flags: PlaceFlags,
  work: (pipeline: OpenPipeline, settings: AllSettings, undo: (() => Promise<unknown>)[]) => Promise<T>,
): Promise<T> {
  const settings = loadSettings(flags);
  const tier = kafkaTier(settings);
  return untilInterrupted(async (undo) => {
    const opening = openDatabase(flags, settings);
    // Also when the signal arrives during the opening.
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

/** Runs the work to its end or to a signal, then the steps in `undo`, last first. */
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
