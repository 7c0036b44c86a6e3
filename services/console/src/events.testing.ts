import {
  eventId,
  type Kind,
  type ScreeningDecided,
  type ScreeningRequested,
  type ScreeningScored,
  type Topic,
  type TopicRecords,
  type Transfer,
} from '@weir/contracts';
import { requested as requestRecord, scored as scoredRecord } from '@weir/contracts/testing';
import type { OutgoingRecord } from '@weir/event-log';
import type { Pipeline } from '@weir/service-kit';
import type { TestRole } from '@weir/service-kit/testing';
import { consoleMigrations } from './migrations.ts';

export const consoleRole: TestRole = { service: 'console', modules: { console: consoleMigrations } };

export type TestEvent = { [T in Topic]: { readonly topic: T; readonly data: TopicRecords[T] } }[Topic];

export const start = Date.UTC(2026, 0, 1);
export const sender = '0x098b716b8aaf21512996dc57eb0615e2383e2f96';
export const receiver = '0x28c6c06298d514db089934071355e5743bf21d60';

function transfer(kind: Kind, n: number): Transfer {
  return {
    kind,
    source_id: `${kind}-${n}`,
    chain: 'ethereum',
    coin: 'ETH',
    txid: kind === 'deposit' ? `0x${String(n).padStart(64, 'a')}` : null,
    from_address: kind === 'deposit' ? sender : null,
    to_address: receiver,
    amount: '144835.998000000000000001',
    usd_value: null,
    user_id: 'u-1',
    memo: null,
    occurred_at: start + n * 1_000 - 500,
  };
}

/** The n-th transfer of its kind was requested n seconds after `start`. */
function request(kind: Kind, n: number): ScreeningRequested {
  const sent = transfer(kind, n);
  const requested_at = start + n * 1_000;
  return requestRecord(sent.source_id, { kind, transfer: sent, requested_at, deadline_at: requested_at + 600_000 });
}

export function requested(kind: Kind, n: number, over: Partial<ScreeningRequested> = {}): TestEvent {
  return { topic: 'screenings.requested', data: { ...request(kind, n), ...over } };
}

export function scored(kind: Kind, n: number, over: Partial<ScreeningScored> = {}): TestEvent {
  const { requested_at, deadline_at, transfer: sent } = request(kind, n);
  const exposure = {
    entity: 'Mixer X',
    risk_type: 'mixer',
    exposure_type: 'direct',
    hop_num: 1,
    volume_usd: 12.5,
    percent: 40,
    side: null,
  } as const;
  const result = { score: 95, risk_level: 'Severe', detail_list: ['Mixer'], risk_detail: [exposure] } as const;
  const record = scoredRecord(sent.source_id, 1, 1, { kind, transfer: sent, requested_at, deadline_at, ...result });
  return { topic: 'screenings.scored', data: { ...record, ...over } };
}

export function decided(kind: Kind, n: number, over: Partial<ScreeningDecided> = {}): TestEvent {
  const { screening_id, requested_at, transfer: sent } = request(kind, n);
  const decision = {
    revision: 1,
    action: 'block',
    reason_codes: ['LEVEL_SEVERE'],
    rule: null,
    policy_hash: 'c0ffee',
    shadow: null,
    shadow_policy_hash: null,
    history: [],
    supersedes: null,
    resolution_id: null,
    names_sanctioned: false,
  } as const;
  const basis = { outcome: 'SCORED', score: 95, risk_level: 'Severe' } as const;
  const data = { screening_id, kind, ...decision, ...basis, requested_at, decided_at: requested_at + 250, transfer: sent, ...over };
  return { topic: 'screenings.decided', data };
}

export async function publish(pipeline: Pipeline, events: readonly TestEvent[]): Promise<void> {
  await pipeline.log.publish(
    events.map(({ topic, data }): OutgoingRecord => {
      const value = pipeline.codec.encode(topic, data);
      const key = 'transfer' in data ? data.transfer.source_id : 'other';
      return { topic, key, value, headers: { ce_id: eventId(topic, value.toString('hex')) } };
    }),
  );
}
