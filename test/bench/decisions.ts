import { eventId, screeningId } from '@weir/contracts';
import type { OutgoingRecord } from '@weir/event-log';
import { Caller } from './open-loop.ts';
import type { System } from './system.ts';
import type { DecisionWatch } from './watch.ts';

export interface Measured {
  readonly name: string;
  readonly count: number;
  readonly seconds: number;
  readonly perSecond: number;
}

const limitMs = 300_000;

/** The sender of deposit `id`, the nth of its run. Each needs a lookup of its own, unless it repeats. */
export type Senders = (id: string, n: number) => string;

/** Publishes deposits at once and measures until the last decision is read. */
export async function measureDecisions(
  { pipeline }: System,
  watch: DecisionWatch,
  count: number,
  run: string,
  senders?: Senders,
): Promise<Measured> {
  const ids = idsOf(run, count);
  const records = detectedDeposits(pipeline, ids, senders);
  return untilDecided('deposits to decisions', watch, ids, () => publishAll(pipeline, records));
}

/** Events of detected deposits, as an exchange publishes them. */
export function detectedDeposits(
  { codec }: Pick<System['pipeline'], 'codec'>,
  ids: readonly string[],
  senders?: Senders,
): OutgoingRecord[] {
  return ids.map((id, n) => {
    const deposit = {
      ...postedDeposit(id, n, senders),
      chain: 'ethereum',
      txid: null,
      user_id: null,
      memo: null,
      detected_at: 1_700_000_000_000,
    };
    return {
      topic: 'deposits.detected',
      key: id,
      value: codec.encode('deposits.detected', deposit),
      headers: { ce_id: eventId('deposits.detected', screeningId('deposit', id)) },
    };
  });
}

export async function publishAll({ log }: Pick<System['pipeline'], 'log'>, records: readonly OutgoingRecord[]): Promise<void> {
  for (let at = 0; at < records.length; at += 250) await log.publish(records.slice(at, at + 250));
}

const postsAtOnce = 64;

/** Posts deposits, a bounded number at a time, and measures until the last decision is read. */
export async function measurePosts({ ingest }: System, watch: DecisionWatch, count: number, run: string): Promise<Measured> {
  const ids = idsOf(run, count);
  const caller = new Caller(ingest);
  try {
    return await untilDecided('posted deposits to decisions', watch, ids, async () => {
      const open = ids.entries();
      const post = async (): Promise<void> => {
        for (const [n, id] of open) await caller.post('/v1/deposits', postedDeposit(id, n), 202);
      };
      await Promise.all(Array.from({ length: postsAtOnce }, post));
    });
  } finally {
    caller.close();
  }
}

function idsOf(run: string, count: number): string[] {
  return Array.from({ length: count }, (_, n) => `${run}-${n}`);
}

async function untilDecided(name: string, watch: DecisionWatch, ids: readonly string[], send: () => Promise<void>): Promise<Measured> {
  const decided = watch.until(ids, limitMs);
  const began = performance.now();
  await send();
  await decided;
  const seconds = (performance.now() - began) / 1_000;
  return { name, count: ids.length, seconds, perSecond: ids.length / seconds };
}

export function senderOf(id: string, n: number): string {
  return `0x${Buffer.from(id).toString('hex').slice(-32).padStart(32, '0')}${n.toString(16).padStart(8, '0')}`;
}

/** Few enough that all are known after a first round. */
export const knownSenders: Senders = (_id, n) => senderOf('known', n % 500);

export const receiver = '0x28c6c06298d514db089934071355e5743bf21d60';

export function postedDeposit(id: string, n: number, senders: Senders = senderOf) {
  return { deposit_id: id, coin: 'ETH', from_address: senders(id, n), to_address: receiver, amount: '1.5', usd_value: '2500' };
}
