import { eventId, screeningId } from '@weir/contracts';
import type { OutgoingRecord } from '@weir/event-log';
import type { System } from './system.ts';
import type { DecisionWatch } from './watch.ts';

export interface Measured {
  readonly name: string;
  readonly count: number;
  readonly seconds: number;
  readonly perSecond: number;
}

const limitMs = 300_000;

/** Publishes deposits at once and measures until the last decision is read. */
export async function measureDecisions(system: System, watch: DecisionWatch, count: number, run: string): Promise<Measured> {
  const records = Array.from({ length: count }, (_, n) => deposit(system, `${run}-${n}`, n));
  const decided = watch.until(
    records.map(({ key }) => key),
    limitMs,
  );
  const began = performance.now();
  for (let at = 0; at < records.length; at += 250) await system.pipeline.log.publish(records.slice(at, at + 250));
  await decided;
  const seconds = (performance.now() - began) / 1_000;
  return { name: 'deposits to decisions', count, seconds, perSecond: count / seconds };
}

export function senderOf(id: string, n: number): string {
  return `0x${Buffer.from(id).toString('hex').slice(-32).padStart(32, '0')}${n.toString(16).padStart(8, '0')}`;
}

export const receiver = '0x28c6c06298d514db089934071355e5743bf21d60';

function deposit({ pipeline }: System, id: string, n: number): OutgoingRecord {
  return {
    topic: 'deposits.detected',
    key: id,
    value: pipeline.codec.encode('deposits.detected', {
      deposit_id: id,
      chain: 'ethereum',
      coin: 'ETH',
      txid: null,
      from_address: senderOf(id, n),
      to_address: receiver,
      amount: '1.5',
      usd_value: '2500',
      user_id: null,
      detected_at: 1_700_000_000_000,
    }),
    headers: { ce_id: eventId('deposits.detected', screeningId('deposit', id)) },
  };
}
