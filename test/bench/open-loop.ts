import { Agent, request } from 'node:http';

/** Calls `send` at a fixed rate, whatever earlier calls take. Returns the largest delay of a call in milliseconds. */
export async function openLoop(count: number, perSecond: number, send: (n: number, dueAt: number) => Promise<void>): Promise<number> {
  const sent: Promise<void>[] = [];
  let latestMs = 0;
  const start = performance.now() + 50;
  for (let n = 0; n < count; n += 1) {
    const dueAt = start + (n * 1_000) / perSecond;
    while (performance.now() < dueAt) await new Promise((resolve) => setTimeout(resolve, Math.max(0, dueAt - performance.now())));
    latestMs = Math.max(latestMs, performance.now() - dueAt);
    sent.push(send(n, dueAt));
  }
  await Promise.all(sent);
  return latestMs;
}

/** An API of the installation, for one caller. */
export class Caller {
  readonly #url: string;
  readonly #token: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 64 });

  constructor(options: { readonly url: string; readonly token: string }) {
    this.#url = options.url;
    this.#token = options.token;
  }

  /** Rejects unless the status is `expected`. Headers besides those of JSON and the token. */
  post(path: string, body: object, expected: number, headers: Readonly<Record<string, string>> = {}): Promise<void> {
    const all = { 'content-type': 'application/json', authorization: `Bearer ${this.#token}`, ...headers };
    return new Promise((resolve, reject) => {
      request(`${this.#url}${path}`, { method: 'POST', agent: this.#agent, headers: all }, (response) => {
        if (response.statusCode !== expected) reject(new Error(`POST ${path} was answered with ${response.statusCode}`));
        response.resume();
        response.once('end', resolve);
      })
        .once('error', reject)
        .end(JSON.stringify(body));
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
