import { describe, expect, test } from 'vitest';
import { Breaker } from './breaker.ts';
import type { Attempt } from './send.ts';

const attempt = (over: Partial<Attempt>): Attempt => ({ status: null, fault: 'REFUSED', error: '', retryAfterMs: 0, ...over });
const unreachable = attempt({ fault: 'UNREACHABLE' });
const of = (n: number, at = n) => ({ screeningId: `s-${n}`, eventId: `e-${n}`, at });

describe('the breaker', () => {
  test('opens at once when nobody answers, and lets one probe pass after 1, 2, 4 … 60 s', () => {
    const breaker = new Breaker();
    let now = 0;
    expect(breaker.room(now, 3, 8)).toBe(5);
    expect(breaker.failed(now, unreachable, of(1))).toBe(true);
    for (const waitMs of [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]) {
      expect(breaker.room(now + waitMs - 1, 0, 8)).toBe(0);
      now += waitMs;
      expect(breaker.room(now, 0, 8)).toBe(1);
      breaker.sent();
      expect(breaker.room(now + 1_000_000, 1, 8)).toBe(0);
      expect(breaker.failed(now, unreachable, of(2))).toBe(false);
    }
    expect(breaker.taken()).toEqual({ since: 1, eventId: 'e-1' });
    expect(breaker.room(now, 0, 8)).toBe(8);
    expect(breaker.taken()).toBeUndefined();
  });

  test.each([429, 502, 503, 504])('takes %i for the receiver’s own trouble', (status) => {
    const breaker = new Breaker();
    expect(breaker.failed(0, attempt({ status }), of(1))).toBe(true);
  });

  test.each<Partial<Attempt>>([
    { status: 422 },
    { status: 500 },
    { status: 302, fault: 'REDIRECT' },
    { fault: 'TIMEOUT' },
    { fault: 'CUT' },
  ])('takes %j for the message’s until five screenings in a row have it', (over) => {
    const breaker = new Breaker();
    for (let n = 0; n < 20; n += 1) expect(breaker.failed(0, attempt(over), of(7))).toBe(false);
    for (const n of [1, 2, 3]) expect(breaker.failed(0, attempt(over), of(n))).toBe(false);
    expect(breaker.taken()).toBeUndefined();
    for (const n of [1, 2, 3, 4]) expect(breaker.failed(0, attempt(over), of(n, 50 + n))).toBe(false);
    expect(breaker.failed(0, attempt(over), of(5))).toBe(true);
    expect(breaker.taken()).toEqual({ since: 51, eventId: 'e-1' });
  });

  test('waits as long as it is asked to, and counts those that were on their way together once', () => {
    const breaker = new Breaker();
    breaker.failed(0, unreachable, of(1));
    for (const n of [2, 3, 4]) breaker.failed(0, unreachable, of(n));
    expect([breaker.room(999, 0, 8), breaker.room(1_000, 0, 8)]).toEqual([0, 1]);
    breaker.failed(0, attempt({ status: 429, retryAfterMs: 90_000 }), of(5));
    expect([breaker.room(89_999, 0, 8), breaker.room(90_000, 0, 8)]).toEqual([0, 1]);
    breaker.sent();
    breaker.untold();
    expect(breaker.room(90_000, 0, 8)).toBe(1);
  });
});
