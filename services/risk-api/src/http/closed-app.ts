import { Hono } from 'hono';
import { Failure } from '../failure.ts';
import { sendFailure } from './envelope.ts';

/** Alive, and `ServiceUnavailable` to everything else: for the time in which no surface is served. */
export function closedRiskApp(): Hono {
  const app = new Hono();
  app.get('/healthz', (c) => c.json({ status: 'ok' }));
  app.all('*', (c) => sendFailure(c, new Failure('ServiceUnavailable')));
  return app;
}
