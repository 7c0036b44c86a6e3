import { Agent, request } from 'node:http';
import { receiver, senderOf } from '../decisions.ts';

export class Load {
  readonly name: string;
  readonly #url: string;
  readonly #token: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 32 });
  readonly #loop: Promise<void>;
  readonly #posts = new Set<Promise<void>>();
  #stopped = false;
  accepted = 0;
  failed = 0;

  constructor(options: { url: string; token: string; name: string; perSecond: number }) {
    this.name = options.name;
    this.#url = options.url;
    this.#token = options.token;
    this.#loop = this.#run(options.perSecond);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#loop;
    await Promise.all(this.#posts);
    this.#agent.destroy();
  }

  async #run(perSecond: number): Promise<void> {
    const start = performance.now();
    for (let n = 0; !this.#stopped; n += 1) {
      const waitMs = start + (n * 1_000) / perSecond - performance.now();
      if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
      const post = this.#post(n).finally(() => this.#posts.delete(post));
      this.#posts.add(post);
    }
  }

  #post(n: number): Promise<void> {
    const id = `${this.name}-${n}`;
    const body = JSON.stringify({ deposit_id: id, coin: 'ETH', from_address: senderOf(id, n), to_address: receiver, amount: '1.5' });
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${this.#token}` };
    return new Promise((resolve) => {
      const failed = (): void => {
        this.failed += 1;
        resolve();
      };
      request(`${this.#url}/v1/deposits`, { method: 'POST', agent: this.#agent, headers, timeout: 30_000 }, (response) => {
        if (response.statusCode === 202) this.accepted += 1;
        else this.failed += 1;
        response.resume();
        response.once('close', resolve);
      })
        .once('error', failed)
        .end(body);
    });
  }
}
