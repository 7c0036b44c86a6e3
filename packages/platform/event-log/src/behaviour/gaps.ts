import { expect, test } from 'vitest';
import type { EventLog, LogGap, SubscribeOptions, Subscription } from '../port.ts';
import { type Bench, numbered, totalLag, until } from './harness.ts';
import { Witness } from './witness.ts';

export function describeGaps(bench: () => Bench): void {
  const join = (
    log: EventLog,
    group: string,
    topics: readonly string[],
    witness: Witness,
    options: Partial<SubscribeOptions> = {},
  ): Promise<Subscription> =>
    log.subscribe({
      group,
      topics,
      maxInFlight: 20,
      maxBatch: 4,
      handle: (records) => witness.watch(records, () => Promise.resolve()),
      ...options,
    });
  const gapsOf = async (log: EventLog, group: string): Promise<LogGap[]> => (await log.lag(group)).flatMap(({ gap }) => gap ?? []);
  const saidOf = (log: EventLog): string[] =>
    bench()
      .errors(log)
      .map((error) => (error as Error).message);

  test('a group whose next records have expired stops there, says so, and reads other partitions on', async () => {
    const log = await bench().open();
    const [topic, other] = [await bench().topic(log, 1), await bench().topic(log, 1)];
    const group = bench().group();
    const [first, second, third] = [new Witness(), new Witness(), new Witness()];
    const subscription = await join(log, group, [topic, other], first);
    await log.publish(numbered(topic, 3, 3));
    await until('three are handled', async () => first.values.length === 3 && (await totalLag(log, group)) === 0n);
    await subscription.stop();
    await log.publish(numbered(topic, 10, 3));
    await bench().expire(topic);
    await log.publish([...numbered(topic, 2, 2), ...numbered(other, 5, 5)]);

    const late = await bench().open();
    const stopped = await join(late, group, [topic, other], second);
    await until('the other topic is read', () => second.values.length === 5);
    await until('the gap is reported', () => saidOf(late).length > 0);
    expect(saidOf(late)[0]).toBe(
      `${group} has stopped reading ${topic}/0: offsets 3 to 12 are gone and it had yet to read them, ` +
        `13 is the first there is; "weir topics rebuild ${group} --topic ${topic}" publishes again what is stored of them, and then ` +
        `"weir topics resume ${group} --topic ${topic} --from earliest" goes on`,
    );
    expect(bench().errors(late)[0]).toMatchObject({ code: 'LOG_GAP', retriable: false });
    const gap = { group, topic, partition: 0, missing: 3n, available: 13n };
    // Until the member commits again, Kafka only shows a reset group.
    await until('others see it', async () => (await gapsOf(log, group))[0]?.missing === 3n);
    expect(await gapsOf(log, group)).toEqual([gap]);
    expect(second.handed.map((record) => record.topic)).toEqual(Array.from({ length: 5 }, () => other));

    await stopped.stop();
    expect(await gapsOf(log, group)).toEqual([gap]);
    await log.resume([gap]);
    expect(await gapsOf(log, group)).toEqual([]);
    const resumed = await bench().open();
    await join(resumed, group, [topic, other], third);
    await until('the rest is handled', () => third.values.length === 2);
    await until('it is committed', async () => (await totalLag(log, group)) === 0n);
    expect(new Set(third.handed.map(({ offset }) => offset))).toEqual(new Set([13n, 14n]));
    expect(saidOf(resumed)).toEqual([]);
  });

  test('a forgotten group begins anew; one with members is not forgotten', async () => {
    const log = await bench().open();
    const topic = await bench().topic(log, 1);
    const group = bench().group();
    const [first, second] = [new Witness(), new Witness()];
    await log.publish(numbered(topic, 3, 3));
    const subscription = await join(log, group, [topic], first);
    await until('three are handled', async () => first.values.length === 3 && (await totalLag(log, group)) === 0n);
    await expect(log.forget(group)).rejects.toMatchObject({ code: 'GROUP_ACTIVE' });
    await subscription.stop();
    await log.forget(group);
    expect(await log.lag(group)).toEqual([]);
    await log.forget(bench().group());
    const again = await bench().open();
    await join(again, group, [topic], second);
    await until('they are handled again', () => second.values.length === 3);
  });

  test('a new group stops where the log has lost its start, also where nothing is left', async () => {
    const log = await bench().open();
    const [topic, empty] = [await bench().topic(log, 1), await bench().topic(log, 1)];
    const group = bench().group();
    await log.publish([...numbered(topic, 6, 2), ...numbered(empty, 4, 2)]);
    await Promise.all([bench().expire(topic), bench().expire(empty)]);
    await log.publish(numbered(topic, 2, 2));
    const witness = new Witness();
    await join(log, group, [topic, empty], witness);
    await until('both gaps are reported', () => saidOf(log).length === 2);
    await until('others see them', async () => (await gapsOf(log, group)).length === 2);
    expect(new Set((await gapsOf(log, group)).map(({ missing, available }) => `${missing} ${available}`))).toEqual(new Set(['0 4', '0 6']));
    await log.publish(numbered(empty, 1, 1));
    for (let i = 0; i < 20; i++) await log.lag(group);
    expect(witness.handed).toEqual([]);
  });

  test('a new group that begins with what is present misses nothing', async () => {
    const log = await bench().open();
    const topic = await bench().topic(log, 1);
    const group = bench().group();
    await log.publish(numbered(topic, 6, 2));
    await bench().expire(topic);
    await log.publish(numbered(topic, 2, 2));
    const witness = new Witness();
    await join(log, group, [topic], witness, { begin: 'present' });
    await until('what is there is handled', async () => witness.values.length === 2 && (await totalLag(log, group)) === 0n);
    expect(saidOf(log)).toEqual([]);
    expect(await gapsOf(log, group)).toEqual([]);
  });

  test('a group whose offsets are gone stops at its start, unless it says that it has never begun', async () => {
    const log = await bench().open();
    const topic = await bench().topic(log, 1);
    const group = bench().group();
    const [first, second, third] = [new Witness(), new Witness(), new Witness()];
    const reader = await join(log, group, [topic], first, { begin: 'present' });
    await log.publish(numbered(topic, 3, 3));
    await until('three are handled', async () => first.values.length === 3 && (await totalLag(log, group)) === 0n);
    await reader.stop();
    await log.publish(numbered(topic, 10, 3));
    await bench().expire(topic);
    await log.publish(numbered(topic, 2, 2));
    await bench().forget(group);
    const late = await bench().open();
    const stopped = await join(late, group, [topic], second);
    await until('the gap is reported', () => saidOf(late).length > 0);
    await until('others see it', async () => (await gapsOf(log, group)).length > 0);
    expect(await gapsOf(log, group)).toEqual([{ group, topic, partition: 0, missing: 0n, available: 13n }]);
    expect(second.handed).toEqual([]);
    await stopped.stop();
    await bench().forget(group);
    await join(await bench().open(), group, [topic], third, { begin: 'present' });
    await until('what is there is handled', async () => third.values.length === 2 && (await totalLag(log, group)) === 0n);
  });

  test('records that expire when the group has read them are no gap', async () => {
    const log = await bench().open();
    const topic = await bench().topic(log, 2);
    const group = bench().group();
    const witness = new Witness();
    const subscription = await join(log, group, [topic], witness);
    await log.publish(numbered(topic, 10, 10));
    await until('all are committed', async () => witness.values.length === 10 && (await totalLag(log, group)) === 0n);
    await bench().expire(topic);
    await subscription.stop();
    const again = await bench().open();
    await join(again, group, [topic], witness);
    await again.publish(numbered(topic, 14, 14).slice(10));
    await until('the later ones are handled', () => witness.values.length === 14);
    expect([...saidOf(log), ...saidOf(again)]).toEqual([]);
    expect(await gapsOf(log, group)).toEqual([]);
  });
}
