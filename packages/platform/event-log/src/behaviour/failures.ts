import { expect, test } from 'vitest';
import { EventLogError } from '../errors.ts';
import { PoisonRecord } from '../port.ts';
import { type Bench, numbered, readAll, record, text, totalLag, until } from './harness.ts';
import { Witness } from './witness.ts';

export function describeFailures(bench: () => Bench): void {
  test('repeats a record that fails, while other keys go on', async () => {
    const log = await bench().open();
    const topic = await bench().topic(log, 1);
    const witness = new Witness();
    const reported: string[] = [];
    let healed = false;
    await log.publish(numbered(topic, 50, 10));
    await log.subscribe({
      group: bench().group(),
      topics: [topic],
      maxInFlight: 20,
      maxBatch: 10,
      handle: (records) =>
        witness.watch(records, async () => {
          if (!healed && records.some((each) => each.key === 'key-3')) throw new Error('not yet');
        }),
      onError: (_error, records) => void (records.length === 1 && reported.push(records.map(text).join())),
    });
    await until('all others are handled', () => witness.values.length >= 45);
    await until('it was tried three times', () => reported.length >= 3);
    expect(new Set(reported)).toEqual(new Set(['3']));
    healed = true;
    await until('all are handled', () => witness.values.length >= 50);
    expect(witness.outOfOrder).toEqual([]);
    expect(witness.violations).toEqual([]);
  });

  test('puts poison aside with its bytes, headers and origin, and goes on', async () => {
    const log = await bench().open();
    const topic = await bench().topic(log, 1);
    await bench().topic(log, 1, `${topic}.dlq`);
    const group = bench().group();
    const witness = new Witness();
    const aside: string[] = [];
    const bytes = Buffer.from([0, 1, 254, 255, 10]);
    await log.publish([
      record(topic, 'a', '0'),
      record(topic, 'bad', bytes, { traceparent: '00-ab', 'weird ü': '✓' }),
      record(topic, 'bad', '2'),
      record(topic, 'b', '3'),
    ]);
    await log.subscribe({
      group,
      topics: [topic],
      maxInFlight: 10,
      maxBatch: 10,
      handle: (records) =>
        witness.watch(records, async () => {
          // The detail must be storable, whatever the record held.
          if (records.some((each) => each.value.equals(bytes)))
            throw new PoisonRecord('UNREADABLE', `it began with ${bytes.toString('latin1')} \ud800`);
        }),
      onDeadLetter: (each, reason) => void aside.push(`${each.key} ${reason}`),
    });
    await until('the rest is handled', async () => witness.values.length >= 3 && (await totalLag(log, group)) === 0n);
    expect(witness.completed.map(text).sort()).toEqual(['0', '2', '3']);
    expect(aside).toEqual(['bad UNREADABLE']);
    const letters = await readAll(log, `${topic}.dlq`);
    const origin = (await readAll(log, topic)).find((each) => each.value.equals(bytes));
    expect(letters).toHaveLength(1);
    expect(letters[0]?.key).toBe('bad');
    expect(letters[0]?.value.equals(bytes)).toBe(true);
    expect(letters[0]?.headers).toMatchObject({
      traceparent: '00-ab',
      'weird ü': '✓',
      weir_reason: 'UNREADABLE',
      weir_group: group,
      weir_topic: topic,
      weir_partition: '0',
      weir_offset: String(origin?.offset),
    });
    expect(letters[0]?.headers.weir_detail).toContain('it began with');
  });

  test('does not complete poison that cannot be put aside yet', async () => {
    const log = await bench().open();
    const topic = await bench().topic(log, 1);
    const group = bench().group();
    const codes: unknown[] = [];
    await log.publish([record(topic, 'bad', 'poison')]);
    await log.subscribe({
      group,
      topics: [topic],
      maxInFlight: 5,
      maxBatch: 5,
      handle: () => Promise.reject(new PoisonRecord('UNREADABLE', 'always')),
      onError: (error) => void codes.push(error instanceof EventLogError ? error.code : error),
    });
    await until('it was tried twice', () => codes.length >= 2);
    expect(new Set(codes)).toEqual(new Set(['UNKNOWN_TOPIC']));
    expect(await totalLag(log, group)).toBeGreaterThanOrEqual(1n);
    await bench().topic(log, 1, `${topic}.dlq`);
    await until('it is put aside', async () => (await totalLag(log, group)) === 0n);
    expect((await readAll(log, `${topic}.dlq`)).map(text)).toEqual(['poison']);
  });
}
