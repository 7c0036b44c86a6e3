import { problem } from '@weir/service-kit';
import { Hono } from 'hono';

/** Listens from start to end. Answers 503 until its app is open, and after it is shut. */
export class Front {
  #app: Hono = notNow('STARTING', 'still starting');

  open(app: Hono): void {
    this.#app = app;
  }

  shut(): void {
    this.#app = notNow('STOPPING', 'going down');
  }

  readonly fetch: Hono['fetch'] = (request, env, context) => this.#app.fetch(request, env, context);
}

function notNow(code: string, detail: string): Hono {
  const app = new Hono();
  app.get('/healthz', (c) => c.json({ status: 'ok' }));
  app.all('*', (c) => problem(c, 503, code, detail));
  return app;
}
