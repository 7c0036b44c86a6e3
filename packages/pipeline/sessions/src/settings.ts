import type { Schema } from '@weir/service-kit';

export interface SessionSettings {
  sessionIdleMs: number;
  sessionMaxMs: number;
}

export const sessionSchema: Schema<SessionSettings> = {
  sessionIdleMs: {
    doc: 'A session of the web console ends when its person does nothing for this time. The same for every service whose operations its pages call',
    format: 'positive-int',
    default: 1_800_000,
    env: 'WEIR_SESSION_IDLE_MS',
  },
  sessionMaxMs: {
    doc: 'A session of the web console ends after this time',
    format: 'positive-int',
    default: 43_200_000,
    env: 'WEIR_SESSION_MAX_MS',
  },
};
