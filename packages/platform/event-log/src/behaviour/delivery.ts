import { systemClock } from '@weir/clock';
import { expect, test } from 'vitest';
import { PoisonRecord } from '../port.ts';
import { type Bench, numbered, readAll, record, seededChance, text, totalLag, until } from './harness.ts';
import { Gate, Witness } from './witness.ts';

export function describeDelivery(bench: () => Bench): void {
  test('hands out each key in order, in batches', async () => {
    const log = await bench().open();
    const topic = await bench().topic(log, 3);
    const witness = new Witness();
    await log.publish(numbered(topic, 300, 20));
    await log.subscribe({
      group: bench().group(),
      topics: [topic],
      maxInFlight: 50,
      maxBatch: 7,
      handle: (records) => witness.watch(records, () => Promise.resolve()),
    });
    await until('all are handled', () => witness.values.length >= 300);
    expect(witness.outOfOrder).toEqual([]);
    expect(witness.violations).toEqual([]);
    expect(witness.largestBatch).toBeGreaterThan(1);
    expect(witness.largestBatch).toBeLessThanOrEqual(7);
  });

  test('loses nothing of a consumer that fails, dawdles and finds poison by chance', async () => {
    const chance = seededChance();
    const log = await bench().open();
    const topic = await bench().topic(log, 4);
    await bench().topic(log, 1, `${topic}.dlq`);
    const group = bench().group();
    const witness = new Witness();
    const sent = numbered(topic, 600, 60);
    const poison = new Set(sent.filter(() => chance() < 0.02).map(text));
    const failures = new Map(sent.map((each) => [text(each), chance() < 0.03 ? Math.ceil(chance() * 2) : 0]));
    const work = async (value: string): Promise<void> => {
      if (chance() < 0.5) await systemClock.sleep(chance() * 8);
      const left = failures.get(value) ?? 0;
      failures.set(value, left - 1);
      if (left > 0) throw new Error('by chance');
      if (poison.has(value)) throw new PoisonRecord('BY_CHANCE', value);
    };
    await log.subscribe({
      group,
      topics: [topic],
      maxInFlight: 40,
      maxBatch: 6,
      handle: (records) => witness.watch(records, () => Promise.all(records.map((each) => work(text(each)))).then(() => undefined)),
    });
    for (let i = 0; i < sent.length; i += 75) await log.publish(sent.slice(i, i + 75));
    const healthy = sent.map(text).filter((value) => !poison.has(value));
    await until('all are dealt with', async () => witness.values.length >= healthy.length && (await totalLag(log, group)) === 0n);
    expect(witness.values.toSorted()).toEqual(healthy.toSorted());
    expect((await readAll(log, `${topic}.dlq`)).map(text).sort()).toEqual([...poison].sort());
    expect(witness.outOfOrder).toEqual([]);
    expect(witness.violations).toEqual([]);
    expect(witness.mostInHand).toBeLessThanOrEqual(40);
  });

  test('has never more in hand than allowed, and as much when there is more', async () => {
    const log = await bench().open();
    const topic = await bench().topic(log, 3);
    const witness = new Witness();
    const gate = new Gate();
    await log.publish(numbered(topic, 100, 100));
    await log.subscribe({
      group: bench().group(),
      topics: [topic],
      maxInFlight: 10,
      maxBatch: 3,
      handle: (records) => witness.watch(records, () => gate.passed),
    });
    await until('ten are in hand', () => witness.mostInHand >= 10);
    gate.open();
    await until('all are handled', () => witness.values.length >= 100);
    expect(witness.mostInHand).toBe(10);
  });

  test('hands out records that may linger, also one alone', async () => {
    const log = await bench().open();
    const topic = await bench().topic(log, 2);
    const witness = new Witness();
    await log.subscribe({
      group: bench().group(),
      topics: [topic],
      maxInFlight: 100,
      maxBatch: 50,
      lingerMs: 300,
      handle: (records) => witness.watch(records, () => Promise.resolve()),
    });
    await log.publish([record(topic, 'alone', 'alone')]);
    await until('it is handled', () => witness.values.length === 1);
    await log.publish(numbered(topic, 10, 10));
    await until('all are handled', () => witness.values.length === 11);
    expect(witness.handed.length).toBe(11);
  });

  test('does not let a slow key hold up the others', async () => {
    const log = await bench().open();
    const topic = await bench().topic(log, 1);
    const witness = new Witness();
    const gate = new Gate();
    await log.publish([record(topic, 'slow', '0'), record(topic, 'slow', '1')]);
    await log.publish(numbered(topic, 60, 30).map((each) => ({ ...each, value: Buffer.from(String(Number(text(each)) + 2)) })));
    await log.subscribe({
      group: bench().group(),
      topics: [topic],
      maxInFlight: 4,
      maxBatch: 1,
      handle: (records) => witness.watch(records, () => (records[0]?.key === 'slow' ? gate.passed : Promise.resolve())),
    });
    await until('all others are handled', () => witness.values.length >= 60);
    expect(witness.handed.filter((each) => each.key === 'slow').map(text)).toEqual(['0']);
    gate.open();
    await until('the slow ones are handled, too', () => witness.values.length >= 62);
    expect(witness.outOfOrder).toEqual([]);
    expect(witness.violations).toEqual([]);
  });

  test('gives every group everything, a new one from the beginning', async () => {
    const log = await bench().open();
    const topic = await bench().topic(log, 2);
    const consume = async (): Promise<Witness> => {
      const witness = new Witness();
      await log.subscribe({
        group: bench().group(),
        topics: [topic],
        maxInFlight: 20,
        maxBatch: 5,
        handle: (records) => witness.watch(records, () => Promise.resolve()),
      });
      return witness;
    };
    const early = await consume();
    const beside = await consume();
    await log.publish(numbered(topic, 40, 8));
    await until('both have all', () => early.values.length >= 40 && beside.values.length >= 40);
    const late = await consume();
    await until('the late one has all', () => late.values.length >= 40);
  });
}
