import type { Codec } from '@weir/contracts';
import type { OutgoingRecord } from '@weir/event-log';
import type { OpenPipeline } from '@weir/service-kit';
import type { Deployment } from './deployment.ts';

/** Publishes as the exchange does: retries over a new connection until the log acknowledges. */
export class Writer {
  readonly #deployment: Deployment;
  #pipeline: Promise<OpenPipeline> | undefined;

  constructor(deployment: Deployment) {
    this.#deployment = deployment;
  }

  /** One attempt: rejects without an acknowledgement. The next call reconnects. */
  async publish(make: (codec: Codec) => readonly OutgoingRecord[]): Promise<void> {
    const opening = (this.#pipeline ??= this.#deployment.open());
    try {
      const pipeline = await opening;
      await pipeline.log.publish(make(pipeline.codec));
    } catch (error) {
      if (this.#pipeline === opening) this.#pipeline = undefined;
      await opening.then(
        (pipeline) => pipeline.close(),
        () => undefined,
      );
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#pipeline?.then((pipeline) => pipeline.close()).catch(() => undefined);
    this.#pipeline = undefined;
  }
}
