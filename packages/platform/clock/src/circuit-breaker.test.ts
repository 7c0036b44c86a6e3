import { describe, expect, test } from 'vitest';
import { CircuitBreaker } from './index.ts';

const open = () => new CircuitBreaker<string>({ firstMs: 1_000, longestMs: 30_000 });
const refused = (subject: string) => ({ subject, failure: `refused ${subject}`, isCertain: true });
const unclear = (subject: string) => ({ subject, failure: `unclear ${subject}`, isCertain: false });

describe('the circuit breaker', () => {
  test('opens at once when nobody answers, and lets one probe pass after 1, 2, 4 … 30 s', () => {
    const breaker = open();
    let now = 0;
    expect([breaker.waitMs(now), breaker.failed(now, refused('a'))]).toEqual([0, true]);
    for (const waitMs of [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]) {
      expect(breaker.waitMs(now)).toBe(waitMs);
      expect(breaker.waitMs(now + waitMs - 1)).toBe(1);
      now += waitMs;
      expect(breaker.waitMs(now)).toBe(0);
      breaker.sent();
      expect(breaker.waitMs(now + 1_000_000)).toBe(Number.POSITIVE_INFINITY);
      expect(breaker.failed(now, refused('b'))).toBe(false);
    }
    expect(breaker.lastFailure).toBe('refused b');
    now += 30_000;
    breaker.sent();
    expect(breaker.succeeded()).toBe('refused a');
    expect([breaker.isOpen, breaker.waitMs(now), breaker.lastFailure]).toEqual([false, 0, undefined]);
    expect(breaker.succeeded()).toBeUndefined();
  });

  test('is not opened by one subject that the remote side chokes on, however often', () => {
    const breaker = open();
    for (let n = 0; n < 100; n += 1) expect(breaker.failed(n, unclear('the same'))).toBe(false);
    expect([breaker.isOpen, breaker.lastFailure, breaker.succeeded()]).toEqual([false, undefined, undefined]);
  });

  test('is opened by five subjects without a success between them, and not when there is one', () => {
    const breaker = open();
    for (const subject of ['a', 'b', 'c', 'd']) expect(breaker.failed(0, unclear(subject))).toBe(false);
    breaker.succeeded();
    for (const subject of ['e', 'f', 'g', 'h']) expect(breaker.failed(0, unclear(subject))).toBe(false);
    expect(breaker.failed(0, unclear('i'))).toBe(true);
    expect([breaker.waitMs(0), breaker.lastFailure]).toEqual([1_000, 'unclear i']);
    expect(breaker.succeeded()).toBe('unclear e');
  });

  test('counts failures of attempts that were under way together once', () => {
    const breaker = open();
    for (const subject of ['a', 'b', 'c']) breaker.failed(0, refused(subject));
    expect([breaker.waitMs(0), breaker.lastFailure]).toEqual([1_000, 'refused a']);
  });

  test('counts every failed probe, also one that the subject may have caused', () => {
    const breaker = open();
    breaker.failed(0, refused('a'));
    breaker.sent();
    breaker.failed(1_000, unclear('b'));
    expect([breaker.waitMs(1_000), breaker.lastFailure]).toEqual([2_000, 'unclear b']);
  });

  test('waits as long as it is asked to, also by an attempt that does not count', () => {
    const breaker = open();
    breaker.failed(0, refused('a'));
    breaker.failed(0, { ...refused('b'), retryAfterMs: 90_000 });
    expect([breaker.waitMs(0), breaker.waitMs(89_999), breaker.waitMs(90_000)]).toEqual([90_000, 1, 0]);
    breaker.sent();
    breaker.failed(90_000, { ...refused('c'), retryAfterMs: 500 });
    expect(breaker.waitMs(90_000)).toBe(2_000);
  });

  test('lets another probe pass when one ended without a result', () => {
    const breaker = open();
    breaker.failed(0, refused('a'));
    breaker.sent();
    breaker.unknown();
    expect(breaker.waitMs(1_000)).toBe(0);
  });
});
