import type { Schema } from '@weir/service-kit';

export interface ConsoleSettings {
  consoleBatch: number;
}

export const consoleSchema: Schema<ConsoleSettings> = {
  consoleBatch: {
    doc: 'Events taken into the list of screenings in one statement at most',
    format: 'positive-int',
    default: 250,
    env: 'WEIR_CONSOLE_BATCH',
  },
};
