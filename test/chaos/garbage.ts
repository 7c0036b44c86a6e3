import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Codec } from '@weir/contracts';
import type { OutgoingRecord } from '@weir/event-log';
import type { FaultContext } from './faults.ts';
import { Writer } from './writer.ts';

const publishLimitMs = 300_000;
const deposit = {
  chain: null,
  coin: 'ETH',
  txid: null,
  from_address: '0x28c6c06298d514db089934071355e5743bf21d60',
  to_address: '0x28c6c06298d514db089934071355e5743bf21d60',
  usd_value: null,
  user_id: null,
  memo: null,
  detected_at: 1_700_000_000_000,
};

/** Each record is unique, so that it can be recognised among the dead letters. */
const kinds: readonly ((id: string, codec: Codec) => OutgoingRecord)[] = [
  // No Avro framing.
  (id) => ({ topic: 'deposits.detected', key: id, value: Buffer.from(`garbage ${id}`), headers: {} }),
  // A known schema id before a body that does not match it.
  (id, codec) => ({
    topic: 'withdrawals.requested',
    key: id,
    value: Buffer.concat([schemaOf(codec), Buffer.alloc(3, 0xff), createHash('sha256').update(id).digest()]),
    headers: {},
  }),
  // An amount that is no number.
  (id, codec) => ({
    topic: 'deposits.detected',
    key: id,
    value: codec.encode('deposits.detected', { ...deposit, deposit_id: id, amount: 'much' }),
    headers: {},
  }),
  // A topic that three services read.
  (id) => ({ topic: 'screenings.requested', key: id, value: Buffer.from(`garbage ${id}`), headers: {} }),
];

function schemaOf(codec: Codec): Buffer {
  return codec
    .encode('withdrawals.requested', {
      withdrawal_id: 'x',
      chain: null,
      coin: 'ETH',
      to_address: 'x',
      amount: '1',
      usd_value: null,
      user_id: null,
      memo: null,
      requested_at: Date.now(),
    })
    .subarray(0, 5);
}

export async function publishGarbage(count: number, { deployment, run, say, sentGarbage }: FaultContext): Promise<void> {
  say(`${count} records of garbage`);
  const writer = new Writer(deployment);
  const end = performance.now() + publishLimitMs;
  try {
    for (let n = 0; n < count; ) {
      const id = `${run}-garbage-${n}`;
      const make = (codec: Codec): OutgoingRecord[] => {
        const record = kinds[n % kinds.length]?.(id, codec);
        // Add it before publishing: the record may be stored even if its acknowledgement is lost.
        if (record !== undefined) sentGarbage.add(record.value.toString('base64'));
        return record === undefined ? [] : [record];
      };
      const told = await writer.publish(make).then(
        () => true,
        () => false,
      );
      if (told) n += 1;
      else if (performance.now() > end) throw new Error(`garbage was not acknowledged in ${publishLimitMs / 1_000} s`);
      await delay(100);
    }
  } finally {
    await writer.close();
  }
}
