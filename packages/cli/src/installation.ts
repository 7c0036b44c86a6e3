import { systemClock } from '@weir/clock';
import { openDatabase } from '@weir/installation';
import { createLogger, kafkaTier, type OpenPipeline, openPipeline, untilSignal } from '@weir/service-kit';
import { Interrupted } from './failure.ts';
import type { PlaceFlags } from './flags.ts';
import { type AllSettings, loadSettings } from './settings.ts';

/** A command does one thing at a time. */
const poolSize = 4;

/** Opens the installation, does the work, and restores the previous state, also on Ctrl-C. The steps in `undo` run first. */
export async function withInstallation<T>(
  flags: PlaceFlags,
  work: (pipeline: OpenPipeline, settings: AllSettings, undo: (() => Promise<unknown>)[]) => Promise<T>,
): Promise<T> {
  const settings = loadSettings(flags);
  const tier = kafkaTier(settings);
  return untilInterrupted(async (undo) => {
    const opening = openDatabase({ ...settings, isFolderNamed: flags.dataDir !== undefined, clock: systemClock });
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
