import { systemClock } from '@weir/clock';
import { expect, test } from 'vitest';
import type { EventLog, Subscription } from '../port.ts';
import { type Bench, numbered, record, text, totalLag, until } from './harness.ts';
import { Gate, Witness } from './witness.ts';

export function describeGroups(bench: () => Bench): void {
  const join = (
    log: EventLog,
    group: string,
    topic: string,
    witness: Witness,
    work: (value: string) => Promise<void>,
  ): Promise<Subscription> =>
    log.subscribe({
      group,
      topics: [topic],
      maxInFlight: 20,
      maxBatch: 4,
      handle: (records) => witness.watch(records, () => Promise.all(records.map((each) => work(text(each)))).then(() => undefined)),
    });
  const atOnce = (): Promise<void> => Promise.resolve();
  const briefly = (): Promise<void> => systemClock.sleep(10);

  test('stops when what is in hand is done, commits it, and hands out nothing more', async () => {
    const log = await bench().open();
    const topic = await bench().topic(log, 2);
    const group = bench().group();
    const [first, second, gate] = [new Witness(), new Witness(), new Gate()];
    await log.publish(numbered(topic, 100, 100));
    const subscription = await join(log, group, topic, first, () => gate.passed);
    await until('some are in hand', () => first.handed.length >= 20);
    let stopped = false;
    const stopping = subscription.stop().then(() => void (stopped = true));
    // Enough time to stop, but for the work in hand.
    for (let i = 0; i < 30; i++) await log.lag(group);
    expect(stopped).toBe(false);
    gate.open();
    await stopping;
    const handed = first.handed.length;
    expect(first.completed.length).toBe(handed);
    await join(await bench().open(), group, topic, second, atOnce);
    await until('the rest is handled', () => second.handed.length >= 100 - handed);
    expect(first.handed.length).toBe(handed);
    expect([...first.values, ...second.completed.map(text)].sort()).toEqual(numbered(topic, 100, 100).map(text).sort());
  });

  test('a client that joins several groups beside others has the same partitions in each', async () => {
    const [one, two] = [await bench().open(), await bench().open()];
    const topics = [await bench().topic(one, 4), await bench().topic(one, 4)];
    const groups = topics.map(() => bench().group());
    const numbers = ({ assigned }: Subscription): number[] => assigned.map(({ partition }) => partition).toSorted((a, b) => a - b);
    const members = new Map<EventLog, Subscription[]>([
      [one, []],
      [two, []],
    ]);
    for (const [n, topic] of topics.entries()) {
      const member = async (log: EventLog) => members.get(log)?.push(await join(log, groups[n] ?? '', topic, new Witness(), atOnce));
      // Who comes first has all of them for a moment.
      for (const log of n === 0 ? [one, two] : [two, one]) await member(log);
    }
    const shares = (): number[][][] => [...members.values()].map((of) => of.map(numbers));
    await until('each has its share', () =>
      shares()
        .flat()
        .every(({ length }) => length === 2),
    );
    const [ofOne, ofTwo] = shares();
    expect([ofOne?.[0], ofTwo?.[0]]).toEqual([ofOne?.[1], ofTwo?.[1]]);
  });

  test('delivers again what a vanished member had not completed', async () => {
    const lost = await bench().open();
    const log = await bench().open();
    const topic = await bench().topic(log, 1);
    const group = bench().group();
    const [first, second, never] = [new Witness(), new Witness(), new Gate()];
    await log.publish(numbered(topic, 60, 60));
    // One early record never completes, while all later ones do.
    const subscription = await lost.subscribe({
      group,
      topics: [topic],
      maxInFlight: 20,
      maxBatch: 1,
      handle: (records) =>
        first.watch(records, () => (text(records[0] ?? { value: Buffer.of() }) === '7' ? never.passed : Promise.resolve())),
    });
    expect(subscription).toBeDefined();
    await until('all but one are done', () => first.values.length >= 59);
    await until('what lies before it is committed', async () => (await totalLag(log, group)) <= 53n);
    expect(await totalLag(log, group)).toBeGreaterThanOrEqual(53n);
    await bench().abandon(lost);
    await join(log, group, topic, second, atOnce);
    await until('everything is committed', async () => (await totalLag(log, group)) === 0n);
    expect(second.values).toContain('7');
    expect(new Set([...first.values, ...second.values]).size).toBe(60);
    expect(second.values).not.toContain('6');
    expect(second.outOfOrder).toEqual([]);
    never.open();
  });

  test('shares partitions with a member that joins, takes them over when it leaves, and keeps the order', async () => {
    const [one, two] = [await bench().open(), await bench().open()];
    const topic = await bench().topic(one, 4);
    const group = bench().group();
    const witness = new Witness();
    const sent = numbered(topic, 900, 30);
    const first = await join(one, group, topic, witness, briefly);
    await one.publish(sent.slice(0, 300));
    await until('the first has all partitions', () => first.assigned.length === 4);
    const second = await join(two, group, topic, witness, briefly);
    const published = one.publish(sent.slice(300, 600));
    await until('both have half of them', () => first.assigned.length === 2 && second.assigned.length === 2);
    await published;
    await until('all are handled', () => witness.values.length >= 600);
    const partitions = [...first.assigned, ...second.assigned].map((each) => each.partition);
    expect(new Set(partitions)).toEqual(new Set([0, 1, 2, 3]));
    const leaving = second.stop();
    await one.publish(sent.slice(600));
    await leaving;
    expect(second.assigned).toEqual([]);
    await until('the first has all again', () => first.assigned.length === 4);
    await until('all are handled', () => witness.values.length >= 900);
    expect(witness.outOfOrder).toEqual([]);
    expect(witness.violations).toEqual([]);
  });

  test('takes over from a member that vanished while others live', async () => {
    const [one, two] = [await bench().open(), await bench().open()];
    const topic = await bench().topic(one, 4);
    const group = bench().group();
    const [first, second, never] = [new Witness(), new Witness(), new Gate()];
    const living = await join(one, group, topic, first, atOnce);
    const dying = await join(two, group, topic, second, () => never.passed);
    await until('both have half', () => living.assigned.length === 2 && dying.assigned.length === 2);
    await one.publish(numbered(topic, 200, 50));
    await until('the dying one has work in hand', () => second.handed.length > 0);
    await bench().abandon(two);
    await until('all are handled by the other', () => first.values.length >= 200);
    expect(first.outOfOrder).toEqual([]);
    expect(living.assigned.length).toBe(4);
    never.open();
  });

  test('finds partitions that are added later', async () => {
    const log = await bench().open();
    const topic = await bench().topic(log, 1);
    const witness = new Witness();
    const subscription = await join(log, bench().group(), topic, witness, atOnce);
    await until('it has the one', () => subscription.assigned.length === 1);
    await log.createTopics([{ name: topic, partitions: 3 }]);
    await until('it has all three', () => subscription.assigned.length === 3);
    await log.publish(numbered(topic, 60, 60));
    await until('all are handled', () => witness.values.length >= 60);
    expect(new Set(witness.handed.map((each) => each.partition)).size).toBe(3);
  });

  test('closes when work in hand is done, which may publish to the end', async () => {
    const log = await bench().open();
    const topic = await bench().topic(log, 1);
    const group = bench().group();
    const [witness, gate] = [new Witness(), new Gate()];
    await log.publish([record(topic, 'a', '0')]);
    await join(log, group, topic, witness, async (value) => {
      if (value !== '0') return;
      await gate.passed;
      await log.publish([record(topic, 'b', '1')]);
    });
    await until('it is in hand', () => witness.handed.length === 1);
    const closing = log.close();
    gate.open();
    await closing;
    expect(witness.completed.map(text)).toContain('0');
    await expect(log.publish([record(topic, 'a', '2')])).rejects.toMatchObject({ code: 'LOG_CLOSED' });
    expect(await totalLag(await bench().open(), group)).toBeLessThanOrEqual(1n);
  });
}
