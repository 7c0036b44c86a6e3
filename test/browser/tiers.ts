import { systemClock } from '@weir/clock';
import type { EventLog } from '@weir/event-log';
import { openKafkaLog } from '@weir/event-log/kafka';
import { afterAll, beforeAll } from 'vitest';
import { prepareKafka } from '../e2e/kafka-tier.ts';
import { openEmbeddedLog } from './embedded-log.ts';
import { openPages, type Pages } from './pages.ts';

type Env = Readonly<Record<string, string>>;

/** The servers of a tier besides the installation. */
export interface Tier {
  prepare(): Promise<{ readonly env: Env; close(): Promise<void> }>;
}

export const embedded: Tier = { prepare: async () => ({ env: {}, close: async () => undefined }) };
export const onKafka: Tier = { prepare: prepareKafka };

/** Pages of one installation for several flows. */
export interface TierPages extends Pages {
  /** The log of the installation, which the caller closes. */
  openLog(): Promise<Pick<EventLog, 'publish' | 'close'>>;
}

/** Opens one installation on the tier. The flows share it, one after the other. */
export function expectFlows(tier: Tier, env: Env, ...flows: readonly ((pages: () => TierPages) => void)[]): void {
  let below: Awaited<ReturnType<Tier['prepare']>> | undefined;
  let running: Pages | undefined;
  beforeAll(async () => {
    below = await tier.prepare();
    running = await openPages({ ...env, ...below.env });
  });
  afterAll(async () => {
    await running?.close();
    await below?.close();
  });
  const pages = (): TierPages => {
    if (running === undefined || below === undefined) throw new Error('the installation does not run');
    const { installation } = running;
    const brokers = below.env['KAFKA_BROKERS'];
    return {
      ...running,
      openLog: () =>
        brokers === undefined
          ? openEmbeddedLog(installation.dataDir)
          : Promise.resolve(openKafkaLog({ connection: { brokers: [brokers] }, clock: systemClock })),
    };
  };
  for (const flow of flows) flow(pages);
}
