import { describe, expect, test } from 'vitest';
import { Breaker } from './breaker.ts';

describe('the breaker', () => {
  test('opens at once when nobody answers, and lets one probe pass after 1, 2, 4 … 30 s', () => {
    const breaker = new Breaker();
    let now = 0;
    breaker.failed(now, 'a', 'UPSTREAM_UNAVAILABLE', true);
    for (const waitMs of [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]) {
      expect(breaker.waitMs(now)).toBe(waitMs);
      now += waitMs - 1;
      expect(breaker.allows(now)).toBe(false);
      now += 1;
      expect(breaker.allows(now)).toBe(true);
      breaker.sent();
      expect(breaker.allows(now)).toBe(false);
      breaker.failed(now, 'a', 'UPSTREAM_UNAVAILABLE', true);
    }
    now += 30_000;
    breaker.sent();
    breaker.answered();
    expect(breaker.allows(now)).toBe(true);
    expect(breaker.lastError).toBeUndefined();
  });

  test('is not opened by one subject that the API chokes on, however often', () => {
    const breaker = new Breaker();
    for (let n = 0; n < 100; n += 1) breaker.failed(n, 'the same', 'UPSTREAM_UNREADABLE', false);
    expect(breaker.allows(100)).toBe(true);
  });

  test('is opened by five subjects without a good answer between them, and not when there is one', () => {
    const breaker = new Breaker();
    for (const subject of ['a', 'b', 'c', 'd']) breaker.failed(0, subject, 'UPSTREAM_UNREADABLE', false);
    breaker.answered();
    for (const subject of ['e', 'f', 'g', 'h']) breaker.failed(0, subject, 'UPSTREAM_UNREADABLE', false);
    expect(breaker.allows(0)).toBe(true);
    breaker.failed(0, 'i', 'UPSTREAM_UNREADABLE', false);
    expect(breaker.allows(0)).toBe(false);
    expect(breaker.lastError).toBe('UPSTREAM_UNREADABLE');
  });

  test('counts failures of questions that were under way together once', () => {
    const breaker = new Breaker();
    for (const subject of ['a', 'b', 'c']) breaker.failed(0, subject, 'UPSTREAM_UNAVAILABLE', true);
    expect(breaker.waitMs(0)).toBe(1_000);
  });
});
