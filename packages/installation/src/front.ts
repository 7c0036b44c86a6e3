import { closedApp } from '@weir/service-kit';
import type { Hono } from 'hono';

/** Listens from start to end. Answers 503 until its app is open, and after it is shut. */
export class Front {
  readonly #closed: (code: string, detail: string) => Hono;
  #app: Hono;

  /** `closed`: the app that answers 503, in the form of the API behind it. */
  constructor(closed: (code: string, detail: string) => Hono = closedApp) {
    this.#closed = closed;
    this.#app = closed('STARTING', 'still starting');
  }

  open(app: Hono): void {
    this.#app = app;
  }

  /** Until it is opened: why the services have to wait. */
  wait(code: string, detail: string): void {
    this.#app = this.#closed(code, detail);
  }

  shut(): void {
    this.#app = this.#closed('STOPPING', 'going down');
  }

  readonly fetch: Hono['fetch'] = (request, env, context) => this.#app.fetch(request, env, context);
}
