import type { Clock } from '@weir/clock';
import { connectRedis } from '@weir/redis';

type Redis = Awaited<ReturnType<typeof connectRedis>>;

/** Pings Redis over one lazy connection. */
export class RedisProbe {
  readonly #url: string;
  readonly #clock: Clock;
  #redis: Promise<Redis> | undefined;
  #isClosed = false;

  constructor(url: string, clock: Clock) {
    this.#url = url;
    this.#clock = clock;
  }

  async ping(): Promise<void> {
    if (this.#isClosed) throw new Error('closed');
    const connecting = (this.#redis ??= connectRedis({ url: this.#url, clock: this.#clock, onError: () => undefined }));
    try {
      await (await connecting).ping();
    } catch (error) {
      // The client reconnects only after a first success.
      connecting.catch(() => {
        if (this.#redis === connecting) this.#redis = undefined;
      });
      throw error;
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#redis?.then((redis) => redis.disconnect()).catch(() => undefined);
  }
}
