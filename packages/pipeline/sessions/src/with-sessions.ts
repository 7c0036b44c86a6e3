import { randomBytes } from 'node:crypto';
import type { Pipeline } from '@weir/service-kit';
import { SessionCallers } from './session-callers.ts';
import { Sessions } from './sessions.ts';
import type { SessionSettings } from './settings.ts';

/**
 * For services whose operations the pages of the console call. One that runs by itself reads sessions: the console, which forwards such
 * requests, notes their use.
 */
export function withSessions<P extends Pipeline>(pipeline: P, settings: SessionSettings, { notesUse = true } = {}): P {
  const limits = { idleMs: settings.sessionIdleMs, maxMs: settings.sessionMaxMs };
  const sessions = new Sessions({ db: pipeline.pool, limits, random: randomBytes, notesUse });
  return { ...pipeline, access: new SessionCallers(pipeline.access, sessions) };
}
