import { migrate } from '@weir/postgres';
import { type Pipeline, type Service, subscribeStage } from '@weir/service-kit';
import type { ConsoleSettings } from './config.ts';
import { factsOf } from './facts.ts';
import { project } from './project.ts';
import { screeningRoutes } from './routes.ts';
import { consoleMigrations } from './schema.ts';

/** Nobody waits for the list as they wait for a decision: three events of a screening, and others', go into one statement. */
const lingerMs = 50;

/** Keeps a list of all screenings from the events and answers questions about it. */
export async function startConsole(pipeline: Pipeline, settings: ConsoleSettings): Promise<Service> {
  const { pool } = pipeline;
  await migrate(pool, 'console', consoleMigrations);
  const subscription = await subscribeStage(pipeline, {
    group: 'console',
    topics: ['screenings.requested', 'screenings.scored', 'screenings.decided'],
    maxInFlight: settings.consoleBatch * 4,
    maxBatch: settings.consoleBatch,
    maxCalls: 1,
    lingerMs,
    handle: (events) => project(pool, events.map(factsOf)),
  });
  return { routes: screeningRoutes(pool), stop: () => subscription.stop() };
}
