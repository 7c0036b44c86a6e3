import { systemClock } from '@weir/clock';
import { expect, test } from 'vitest';
import { type Bench, numbered, readAll, record, text, totalLag, until } from './harness.ts';

export function describeTopics(bench: () => Bench): void {
  test('makes topics once, adds partitions, takes none away', async () => {
    const log = await bench().open();
    const topic = await bench().topic(log, 3);
    await log.createTopics([{ name: topic, partitions: 3 }]);
    await log.createTopics([{ name: topic, partitions: 2 }]);
    expect(await log.partitions(topic)).toBe(3);
    await log.createTopics([{ name: topic, partitions: 5 }]);
    expect(await log.partitions(topic)).toBe(5);
    await expect(log.partitions(`${topic}.dlq`)).rejects.toMatchObject({ code: 'UNKNOWN_TOPIC' });
  });

  test('tells where the next record of each partition will be', async () => {
    const log = await bench().open();
    const topic = await bench().topic(log, 3);
    expect(await log.ends(topic)).toEqual([0n, 0n, 0n]);
    await log.publish(numbered(topic, 20, 7));
    const ends = await (await bench().open()).ends(topic);
    expect(ends.reduce((sum, end) => sum + end, 0n)).toBe(20n);
    for (const [partition, end] of ends.entries()) {
      expect(await log.read(topic, partition, end, 1)).toEqual([]);
      if (end > 0n) expect(await log.read(topic, partition, end - 1n, 1)).toHaveLength(1);
    }
    await expect(log.ends(`${topic}-none`)).rejects.toMatchObject({ code: 'UNKNOWN_TOPIC' });
  });

  test('reads what was published, in pages, with its bytes, headers and time', async () => {
    const log = await bench().open();
    const topic = await bench().topic(log, 2);
    const before = systemClock.now();
    await log.publish(numbered(topic, 50, 7));
    await log.publish([record(topic, 'key-0', 'last', { a: '1', b: '' })]);
    const all = await readAll(await bench().open(), topic, 3);
    expect(all.map(text).sort()).toEqual([...numbered(topic, 50, 7).map(text), 'last'].sort());
    expect(all.find((each) => text(each) === 'last')).toMatchObject({ topic, key: 'key-0', headers: { a: '1', b: '' } });
    for (const each of all) expect(Math.abs(each.timestamp - before)).toBeLessThan(60_000);
    for (const partition of [0, 1]) {
      const offsets = all.filter((each) => each.partition === partition).map((each) => each.offset);
      expect(offsets).toEqual([...new Set(offsets)].sort((a, b) => Number(a - b)));
    }
  });

  test('keeps the records of a key in one partition and in order', async () => {
    const log = await bench().open();
    const topic = await bench().topic(log, 4);
    for (const half of [numbered(topic, 100, 9), numbered(topic, 200, 9).slice(100)]) await log.publish(half);
    const all = await readAll(log, topic);
    for (let key = 0; key < 9; key++) {
      const mine = all.filter((each) => each.key === `key-${key}`);
      expect(new Set(mine.map((each) => each.partition)).size).toBe(1);
      expect(mine.map((each) => Number(text(each)))).toEqual(mine.map((_, i) => key + 9 * i));
    }
    expect(new Set(all.map((each) => each.partition)).size).toBeGreaterThan(1);
  });

  test('refuses an unknown topic and writes nothing of that call', async () => {
    const log = await bench().open();
    const topic = await bench().topic(log, 2);
    const calls = [
      log.publish([record(topic, 'good', 'before')]),
      log.publish([record(topic, 'a', 'lost'), record(`${topic}-missing`, 'a', 'lost')]),
      log.publish([record(topic, 'good', 'after')]),
    ];
    const outcomes = await Promise.allSettled(calls);
    expect(outcomes.map((outcome) => outcome.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(outcomes[1]).toMatchObject({ reason: { code: 'UNKNOWN_TOPIC', retriable: false } });
    expect((await readAll(log, topic)).map(text)).toEqual(['before', 'after']);
    const handle = async (): Promise<void> => undefined;
    await expect(
      log.subscribe({ group: bench().group(), topics: [`${topic}-missing`], maxInFlight: 1, maxBatch: 1, handle }),
    ).rejects.toMatchObject({ code: 'UNKNOWN_TOPIC' });
  });

  test('loses nothing of many publishers at once, and keeps the order of each', async () => {
    const log = await bench().open();
    const topics = [await bench().topic(log, 3), await bench().topic(log, 2)];
    const clients = [log, await bench().open(), await bench().open()];
    await Promise.all(
      clients.flatMap((client, c) =>
        Array.from({ length: 40 }, (_, i) =>
          // Alternates the order of topics.
          client.publish(
            (i % 2 === 0 ? topics : topics.toReversed()).flatMap((topic) => [record(topic, `of-${c}`, `${i}`), record(topic, `${c}-${i}`)]),
          ),
        ),
      ),
    );
    for (const topic of topics) {
      const all = await readAll(log, topic);
      expect(all.length).toBe(clients.length * 80);
      for (const c of clients.keys()) {
        const mine = all.filter((each) => each.key === `of-${c}`).map((each) => Number(text(each)));
        expect(mine).toEqual(Array.from({ length: 40 }, (_, i) => i));
      }
    }
  });

  test('carries large and empty values, and keys and headers of any script', async () => {
    const log = await bench().open();
    const topic = await bench().topic(log, 1);
    const large = Buffer.alloc(900 * 1024, Buffer.from(Array.from({ length: 256 }, (_, i) => i)));
    const sent = [
      record(topic, 'large', large),
      record(topic, 'empty'),
      record(topic, 'ключ-鍵-🔑"\\{}', Buffer.from([0, 255, 92, 34]), { 'заголовок "\\': '値, {🔑}\n' }),
      record(topic, '', 'no key'),
    ];
    const got: unknown[] = [];
    await log.subscribe({
      group: bench().group(),
      topics: [topic],
      maxInFlight: 10,
      maxBatch: 1,
      handle: async (records) => {
        for (const { key, value, headers } of records)
          got.push({ key, headers, same: sent.find((each) => each.key === key)?.value.equals(value) });
      },
    });
    await log.publish(sent);
    await until('all arrive', () => got.length >= sent.length);
    const expected = sent.map(({ key, headers }) => ({ key, headers, same: true }));
    expect(got).toHaveLength(expected.length);
    expect(got).toEqual(expect.arrayContaining(expected));
  });

  test('tells how far a group is behind', async () => {
    const log = await bench().open();
    const topic = await bench().topic(log, 3);
    const group = bench().group();
    expect(await log.lag(group)).toEqual([]);
    await log.publish(numbered(topic, 30, 10));
    let handled = 0;
    const subscription = await log.subscribe({
      group,
      topics: [topic],
      maxInFlight: 10,
      maxBatch: 5,
      handle: async (records) => void (handled += records.length),
    });
    await until('all is committed', async () => handled >= 30 && (await totalLag(log, group)) === 0n);
    expect(new Set((await log.lag(group)).map(({ partition }) => partition))).toEqual(new Set([0, 1, 2]));
    await subscription.stop();
    await log.publish(numbered(topic, 7, 7));
    expect(await totalLag(log, group)).toBeGreaterThanOrEqual(7n);
  });
}
