import { randomBytes } from 'node:crypto';
import type { Pipeline } from '@weir/service-kit';
import type { ConsoleSettings } from './config.ts';
import { SessionCallers } from './sessions/session-callers.ts';
import { Sessions } from './sessions/sessions.ts';

/** For other services in the console's process: their operations serve the pages of the console, too. */
export function withSessions(pipeline: Pipeline, settings: Pick<ConsoleSettings, 'sessionIdleMs' | 'sessionMaxMs'>): Pipeline {
  const limits = { idleMs: settings.sessionIdleMs, maxMs: settings.sessionMaxMs };
  const sessions = new Sessions({ db: pipeline.pool, limits, random: randomBytes });
  return { ...pipeline, access: new SessionCallers(pipeline.access, sessions) };
}
