import { eventId, screeningId } from '@weir/contracts';
import { subscribeStage } from '@weir/service-kit';
import type { System } from './system.ts';

export interface Measured {
  readonly name: string;
  readonly count: number;
  readonly seconds: number;
  readonly perSecond: number;
}

/** Deposits put into the topic, all at once, each with a sender of its own, until the last decision has been read from its topic. */
export async function measureDecisions({ pipeline }: System, count: number, run: string): Promise<Measured> {
  const wanted = new Set(Array.from({ length: count }, (_, n) => screeningId('deposit', `${run}-${n}`)));
  let finished: () => void = () => undefined;
  const done = new Promise<void>((resolve) => {
    finished = resolve;
  });
  const subscription = await subscribeStage(pipeline, {
    group: `bench-${run}`,
    topics: ['screenings.decided'],
    handle: async (events) => {
      for (const { data } of events) wanted.delete(data.screening_id);
      if (wanted.size === 0) finished();
    },
  });
  const records = Array.from({ length: count }, (_, n) => deposit(pipeline, `${run}-${n}`, n));
  const began = performance.now();
  for (let at = 0; at < records.length; at += 250) await pipeline.log.publish(records.slice(at, at + 250));
  await done;
  const seconds = (performance.now() - began) / 1_000;
  await subscription.stop();
  return { name: 'deposits to decisions', count, seconds, perSecond: count / seconds };
}

function deposit(pipeline: System['pipeline'], id: string, n: number): Parameters<System['pipeline']['log']['publish']>[0][number] {
  return {
    topic: 'deposits.detected',
    key: id,
    value: pipeline.codec.encode('deposits.detected', {
      deposit_id: id,
      chain: 'ethereum',
      coin: 'ETH',
      txid: null,
      from_address: `0x${Buffer.from(id).toString('hex').slice(-32).padStart(32, '0')}${n.toString(16).padStart(8, '0')}`,
      to_address: '0x28c6c06298d514db089934071355e5743bf21d60',
      amount: '1.5',
      usd_value: '2500',
      user_id: null,
      detected_at: 1_700_000_000_000,
    }),
    headers: { ce_id: eventId('deposits.detected', screeningId('deposit', id)) },
  };
}
