import { closedApp } from '@weir/service-kit';
import type { Hono } from 'hono';

/** Listens from start to end. Answers 503 until its app is open, and after it is shut. */
export class Front {
  #app: Hono = closedApp('STARTING', 'still starting');

  open(app: Hono): void {
    this.#app = app;
  }

  /** Until it is opened: why the services have to wait. */
  wait(code: string, detail: string): void {
    this.#app = closedApp(code, detail);
  }

  shut(): void {
    this.#app = closedApp('STOPPING', 'going down');
  }

  readonly fetch: Hono['fetch'] = (request, env, context) => this.#app.fetch(request, env, context);
}
