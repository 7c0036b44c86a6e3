import type { LogRecord, OutgoingRecord } from '@weir/event-log';
import { expect, test } from 'vitest';
import { HandledEvents } from './handled-events.ts';

function record(id: string, value = 'v', over: Partial<LogRecord> = {}): LogRecord {
  return { topic: 't', key: 'k', value: Buffer.from(value), headers: { ce_id: id }, partition: 0, offset: 0n, timestamp: 0, ...over };
}

test('an event is passed over once', () => {
  const handled = new HandledEvents();
  handled.add(record('a'));
  expect([handled.take(record('b')), handled.take(record('a')), handled.take(record('a'))]).toEqual([false, true, false]);
});

test.each<[string, LogRecord]>([
  ['bytes', record('a', 'w')],
  ['key', record('a', 'v', { key: 'l' })],
  ['topic', record('a', 'v', { topic: 'u' })],
  ['id', record('b')],
])('a record with another %s is handled', (_, other) => {
  const handled = new HandledEvents();
  handled.add(record('a'));
  expect([handled.take(other), handled.take(record('a'))]).toEqual([false, true]);
});

test('a record without an id is handled', () => {
  const handled = new HandledEvents();
  const foreign: OutgoingRecord = { topic: 't', key: 'k', value: Buffer.from('v'), headers: {} };
  handled.add(foreign);
  expect(handled.take({ ...record(''), headers: {} })).toBe(false);
});

test('of very many events the oldest are forgotten', () => {
  const handled = new HandledEvents();
  for (let n = 0; n < 20_002; n += 1) handled.add(record(String(n)));
  // Said again, it is the newest.
  handled.add(record('2'));
  handled.add(record('last'));
  expect(['0', '1', '2', '3', '4', 'last'].map((id) => handled.take(record(id)))).toEqual([false, false, true, false, true, true]);
});

test('of very large events the oldest are forgotten', () => {
  const handled = new HandledEvents();
  const value = 'x'.repeat(1024 * 1024);
  for (let n = 0; n < 33; n += 1) handled.add(record(String(n), value));
  expect([handled.take(record('0', value)), handled.take(record('1', value))]).toEqual([false, true]);
});
