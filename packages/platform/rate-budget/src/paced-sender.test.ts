import { type Clock, ManualClock } from '@weir/clock';
import { describe, expect, test } from 'vitest';
import { type Lane, memoryBudget, PacedSender, type RateBudget } from './index.ts';

const limits = { perSecond: 10, perDay: 10_000 };
const noon = 19_700 * 86_400_000 + 43_200_000;
type Waiting = Record<Lane, number>;

/** A clock that advances by sleeping, so a loop runs to its end in one go. */
function sleptClock(): Clock & { pass(ms: number): void } {
  let at = noon;
  return {
    now: () => at,
    monotonic: () => at,
    sleep: async (ms) => {
      at += Math.max(0, ms);
    },
    pass: (ms) => {
      at += ms;
    },
  };
}

function budgetWith(budget: RateBudget, over: Partial<RateBudget>): RateBudget {
  return { ...budget, ...over };
}

/** As scoring uses it: one loop that starts each call in time and does not await its end. */
async function runAll(sender: PacedSender, waiting: Waiting, start: (lane: Lane, arrived: () => void) => Promise<void>): Promise<string> {
  const running: Promise<void>[] = [];
  for (;;) {
    const sent = await sender.sendNext(
      () => waiting,
      (lane, arrived) => {
        waiting[lane]--;
        return start(lane, arrived);
      },
    );
    if (sent.kind !== 'sent') {
      await Promise.all(running);
      return sent.kind;
    }
    running.push(...sent.calls);
  }
}

test('300 waiting pieces in three lanes: by weight, on pace, each call started without waiting for the one before', async () => {
  const clock = sleptClock();
  const sender = new PacedSender({ budget: memoryBudget({ clock, limits }), clock, limits });
  const waiting: Waiting = { withdrawal: 100, deposit: 100, rescreen: 100 };
  const started: { lane: Lane; at: number }[] = [];
  const open = Promise.withResolvers<void>();
  const end = await runAll(sender, waiting, (lane, arrived) => {
    started.push({ lane, at: clock.now() });
    arrived();
    if (started.length === 300) open.resolve();
    return open.promise;
  });
  expect(end).toBe('idle');
  const first100 = started.slice(0, 100).map(({ lane }) => lane);
  expect(['withdrawal', 'deposit', 'rescreen'].map((lane) => first100.filter((other) => other === lane).length)).toEqual([60, 30, 10]);
  for (let i = 10; i < 300; i++) expect(started[i]!.at - started[i - 10]!.at).toBeGreaterThanOrEqual(1_030);
  // 299 intervals of 103 ms, and rounding of waits to milliseconds.
  expect(started[299]!.at - started[0]!.at).toBeLessThanOrEqual(299 * 103 + 300);
});

test('a lane that is out of its day does not hold up another, and is reported when it waits alone', async () => {
  const clock = sleptClock();
  const small = { perSecond: 10, perDay: 40 };
  const sender = new PacedSender({ budget: memoryBudget({ clock, limits: small }), clock, limits: small });
  const waiting: Waiting = { withdrawal: 10, deposit: 10, rescreen: 10 };
  const sent: Lane[] = [];
  const startedAt = clock.now();
  const send = async (lane: Lane, arrived: () => void): Promise<void> => {
    sent.push(lane);
    arrived();
  };
  expect(await runAll(sender, waiting, send)).toBe('denied');
  expect(waiting).toEqual({ withdrawal: 0, deposit: 0, rescreen: 6 });
  expect(clock.now() - startedAt).toBeLessThan(24 * 110);

  const denied = await sender.sendNext(
    () => waiting,
    () => expect.fail('must not send'),
  );
  const midnight = noon + 43_200_000;
  expect(denied).toEqual({ kind: 'denied', waitMs: midnight + 1_000 - clock.now(), lanes: ['rescreen'] });
  waiting.withdrawal = 1;
  expect(
    await sender.sendNext(
      () => waiting,
      (lane) => lane,
    ),
  ).toMatchObject({ kind: 'sent', lane: 'withdrawal' });
});

test('a lane that was out of its day is asked again, and after midnight it sends', async () => {
  const clock = sleptClock();
  const small = { perSecond: 10, perDay: 10 };
  const sender = new PacedSender({ budget: memoryBudget({ clock, limits: small }), clock, limits: small });
  const waiting: Waiting = { withdrawal: 0, deposit: 0, rescreen: 2 };
  const next = () =>
    sender.sendNext(
      () => waiting,
      (lane) => lane,
    );
  expect(await next()).toMatchObject({ kind: 'sent' });
  const denied = await next();
  if (denied.kind !== 'denied') expect.fail('must be denied');
  clock.pass(denied.waitMs);
  expect(await next()).toMatchObject({ kind: 'sent', lane: 'rescreen' });
});

function slowBudget(inner: RateBudget, clock: ReturnType<typeof sleptClock>, delaysMs: number[]): RateBudget {
  return budgetWith(inner, {
    take: async (...asked) => {
      const grant = await inner.take(...asked);
      if (grant.granted) clock.pass(delaysMs.shift() ?? 0);
      return grant;
    },
  });
}

test('a grant that has grown old is given back and taken anew', async () => {
  const clock = sleptClock();
  const inner = memoryBudget({ clock, limits });
  const stale: number[] = [];
  const budget = slowBudget(inner, clock, [41, 400, 40, 41]);
  const sender = new PacedSender({ budget, clock, limits, onStale: (ageMs) => stale.push(ageMs) });
  const sent = await sender.sendNext(
    () => ({ withdrawal: 1, deposit: 0, rescreen: 0 }),
    () => 'call',
  );
  expect(sent).toEqual({ kind: 'sent', lane: 'withdrawal', calls: ['call'] });
  expect(stale).toEqual([41, 400]);
  // Only the used grant counts for the day.
  expect((await inner.remaining()).day.withdrawal).toBe(limits.perDay - 1);
});

test('a grant that a process slept on for long stays spent, for it may be of the day before', async () => {
  const clock = sleptClock();
  const inner = memoryBudget({ clock, limits });
  const sender = new PacedSender({ budget: slowBudget(inner, clock, [600_000]), clock, limits });
  await sender.sendNext(
    () => ({ withdrawal: 1, deposit: 0, rescreen: 0 }),
    () => 'call',
  );
  expect((await inner.remaining()).day.withdrawal).toBe(limits.perDay - 2);
});

test('work that went away while its grant was asked for costs nothing of the day', async () => {
  const clock = sleptClock();
  const budget = memoryBudget({ clock, limits });
  const sender = new PacedSender({ budget, clock, limits });
  const answers: Waiting[] = [{ withdrawal: 0, deposit: 1, rescreen: 0 }];
  const waiting = () => answers.shift() ?? { withdrawal: 0, deposit: 0, rescreen: 0 };
  expect(await sender.sendNext(waiting, () => expect.fail('must not send'))).toEqual({ kind: 'idle' });
  expect((await budget.remaining()).day.withdrawal).toBe(limits.perDay);
});

test('what is known to have arrived soon lets the next go sooner, and what was never sent holds nobody up', async () => {
  const spanOf = async (answeredAfterMs: number | undefined): Promise<number> => {
    const clock = sleptClock();
    const sender = new PacedSender({ budget: memoryBudget({ clock, limits }), clock, limits });
    const waiting: Waiting = { withdrawal: 41, deposit: 0, rescreen: 0 };
    const at: number[] = [];
    while (waiting.withdrawal > 0) {
      await sender.sendNext(
        () => waiting,
        (lane, arrived) => {
          waiting[lane]--;
          at.push(clock.now());
          clock.pass(answeredAfterMs ?? 0);
          if (answeredAfterMs !== undefined) arrived();
        },
      );
    }
    for (let i = 10; i < at.length; i++) expect(at[i]! - at[i - 10]!).toBeGreaterThanOrEqual(1_030);
    return at[40]! - at[0]!;
  };
  // Four spans each. The usual answer time is known after ten.
  expect(await spanOf(undefined)).toBeGreaterThanOrEqual(4 * 1_070);
  expect(await spanOf(5)).toBeLessThanOrEqual(4 * 1_035 + 40);
  expect(await spanOf(60)).toBeLessThanOrEqual(1_100 + 3 * 1_035 + 40);
});

test('a call that was held up on its way holds up the one that is N places behind it', async () => {
  const clock = sleptClock();
  const sender = new PacedSender({ budget: memoryBudget({ clock, limits }), clock, limits });
  const waiting: Waiting = { withdrawal: 60, deposit: 0, rescreen: 0 };
  const arrivals: number[] = [];
  while (waiting.withdrawal > 0) {
    await sender.sendNext(
      () => waiting,
      (lane, arrived) => {
        // Each twentieth takes 200 ms longer to arrive.
        clock.pass(waiting[lane]-- % 20 === 0 ? 210 : 10);
        arrivals.push(clock.now());
        arrived();
      },
    );
  }
  for (let i = 10; i < arrivals.length; i++) expect(arrivals[i]! - arrivals[i - 10]!).toBeGreaterThanOrEqual(1_030);
});

test('its own log holds even where the budget grants everything', async () => {
  const clock = sleptClock();
  const generous: RateBudget = budgetWith(memoryBudget({ clock, limits }), {
    take: async () => ({ granted: true, count: 1, reservation: null }),
  });
  const sender = new PacedSender({ budget: generous, clock, limits });
  const at: number[] = [];
  // Several loops per sender are discouraged, but keep the limit.
  const loop = () => runAll(sender, { withdrawal: 20, deposit: 0, rescreen: 0 }, async () => void at.push(clock.now()));
  await Promise.all([loop(), loop(), loop()]);
  expect(at).toHaveLength(60);
  for (let i = 10; i < 60; i++) expect(at[i]! - at[i - 10]!).toBeGreaterThanOrEqual(1_030);
});

function watched(inner: RateBudget): { budget: RateBudget; asked: Parameters<RateBudget['take']>[]; back: number[] } {
  const asked: Parameters<RateBudget['take']>[] = [];
  const back: number[] = [];
  const budget = budgetWith(inner, {
    take: (...args) => {
      asked.push(args);
      return inner.take(...args);
    },
    refund: (lane, count = 1) => {
      back.push(count);
      return inner.refund(lane, count);
    },
  });
  return { budget, asked, back };
}

test.each([
  { perSecond: 10, most: 1 },
  { perSecond: 25, most: 1 },
  { perSecond: 26, most: 2 },
  { perSecond: 1_000, most: 40 },
  { perSecond: 1_000_000, most: 1_000 },
])('at $perSecond/s asks for blocks of $most, or of what waits', async ({ perSecond, most }) => {
  const clock = sleptClock();
  const high = { perSecond, perDay: 10_000 };
  const { budget, asked } = watched(memoryBudget({ clock, limits: high }));
  const sender = new PacedSender({ budget, clock, limits: high });
  await sender.sendNext(
    () => ({ withdrawal: 5_000, deposit: 0, rescreen: 0 }),
    () => 0,
  );
  await sender.sendNext(
    () => ({ withdrawal: 0, deposit: 1, rescreen: 0 }),
    () => 0,
  );
  expect(asked[0]?.slice(0, 2)).toEqual(['withdrawal', most]);
  expect(asked.at(-1)?.slice(0, 2)).toEqual(['deposit', 1]);
});

test('at 1,000,000/s one round trip serves hundreds of sends, and every send is its lane’s by weight', async () => {
  const clock = sleptClock();
  const high = { perSecond: 1_000_000, perDay: 1_000_000_000 };
  const { budget, asked, back } = watched(memoryBudget({ clock, limits: high }));
  const sender = new PacedSender({ budget, clock, limits: high });
  const sends: Waiting = { withdrawal: 0, deposit: 0, rescreen: 0 };
  const total = (): number => sends.withdrawal + sends.deposit + sends.rescreen;
  while (total() < 200_000) {
    const sent = await sender.sendNext(
      () => ({ withdrawal: 2_000, deposit: 2_000, rescreen: 2_000 }),
      (lane) => sends[lane]++,
    );
    expect(sent).toMatchObject({ kind: 'sent' });
  }
  expect(asked.length).toBeLessThan(total() / 300);
  expect(back).toEqual([]);
  for (const [lane, share] of [
    ['withdrawal', 0.6],
    ['deposit', 0.3],
    ['rescreen', 0.1],
  ] as const)
    expect(Math.abs(sends[lane] / total() - share)).toBeLessThan(0.01);
});

describe('what a block leaves is given back', () => {
  const high = { perSecond: 1_000, perDay: 10_000 };
  const setUp = () => {
    const clock = sleptClock();
    const { budget, back } = watched(memoryBudget({ clock, limits: high }));
    return {
      clock,
      budget,
      back,
      sender: new PacedSender({ budget, clock, limits: high }),
      waiting: { withdrawal: 50, deposit: 0, rescreen: 0 },
    };
  };

  test('when sending takes so long that the grant grows old', async () => {
    const { clock, budget, back, sender, waiting } = setUp();
    const at: number[] = [];
    const sent = await sender.sendNext(
      () => waiting,
      () => {
        at.push(clock.now() - noon);
        clock.pass(15);
      },
    );
    expect(sent).toEqual({ kind: 'sent', lane: 'withdrawal', calls: [undefined, undefined, undefined] });
    expect(at).toEqual([0, 15, 30]);
    expect(back).toEqual([7]);
    expect((await budget.remaining()).day.withdrawal).toBe(high.perDay - 3);
  });

  test('when the work goes away', async () => {
    const { back, sender, waiting } = setUp();
    const sent = await sender.sendNext(
      () => waiting,
      () => {
        waiting.withdrawal = Math.min(waiting.withdrawal, 3) - 1;
        return waiting.withdrawal;
      },
    );
    expect(sent).toEqual({ kind: 'sent', lane: 'withdrawal', calls: [2, 1, 0] });
    expect(back).toEqual([7]);
  });

  test('when a send throws, whose grant is spent', async () => {
    const { back, sender, waiting } = setUp();
    let calls = 0;
    const sending = sender.sendNext(
      () => waiting,
      () => {
        if (++calls === 4) throw new Error('not sent');
      },
    );
    await expect(sending).rejects.toThrow('not sent');
    expect(calls).toBe(4);
    expect(back).toEqual([6]);
  });

  test('and where it cannot be, what was sent is still told', async () => {
    const { clock, budget, waiting } = setUp();
    const away = budgetWith(budget, { refund: () => Promise.reject(new Error('away')) });
    const sender = new PacedSender({ budget: away, clock, limits: high });
    const sent = await sender.sendNext(
      () => waiting,
      () => clock.pass(41),
    );
    expect(sent).toEqual({ kind: 'sent', lane: 'withdrawal', calls: [undefined] });
  });
});

test.each([
  { perSecond: 10, lateMs: 400 },
  { perSecond: 100, lateMs: 400 },
  { perSecond: 101, lateMs: 0 },
])('at $perSecond/s a send counts as $lateMs ms late until it is answered', async ({ perSecond, lateMs }) => {
  const clock = sleptClock();
  const of = { perSecond, perDay: 10_000 };
  const { budget, asked } = watched(memoryBudget({ clock, limits: of }));
  const sender = new PacedSender({ budget, clock, limits: of });
  await runAll(sender, { withdrawal: 300, deposit: 0, rescreen: 0 }, async () => undefined);
  expect(new Set(asked.map(([, , late]) => late))).toEqual(new Set([lateMs]));
});

test('creates that a starved machine delays do not arrive among later ones', async () => {
  const clock = new ManualClock(noon);
  const budget = memoryBudget({ clock, limits });
  const stop = new AbortController();
  const arrivals: number[] = [];
  /** Each in turn, over four replicas that share the budget. */
  const delaysMs = [0, 3, 400, 1, 0, 120, 0, 390, 250, 2, 1, 0, 1, 0, 400, 400, 0];
  const replica = async (): Promise<void> => {
    const sender = new PacedSender({ budget, clock, limits });
    const waiting = { withdrawal: 1, deposit: 0, rescreen: 0 };
    const send = (_lane: Lane, arrived: () => void): void => {
      const delayMs = delaysMs.shift() ?? 0;
      delaysMs.push(delayMs);
      void clock
        .sleep(delayMs)
        .then(() => arrivals.push(clock.monotonic()))
        .then(() => clock.sleep(5))
        .then(arrived);
    };
    while (!stop.signal.aborted) await sender.sendNext(() => waiting, send, stop.signal);
  };
  const replicas = Promise.all([replica(), replica(), replica(), replica()]);
  await clock.advance(0);
  await clock.advance(60_000);
  stop.abort();
  await replicas;
  arrivals.sort((a, b) => a - b);
  for (let i = 10; i < arrivals.length; i++) expect(arrivals[i]! - arrivals[i - 10]!).toBeGreaterThanOrEqual(1_000);
  // A late arrival costs its own delay, not more.
  expect(arrivals.length).toBeGreaterThan(400);
});

test('answers within a second cost no pace, and slower ones a part of it', async () => {
  const sentIn = async (answerMs: number): Promise<number> => {
    const clock = new ManualClock(noon);
    const sender = new PacedSender({ budget: memoryBudget({ clock, limits }), clock, limits });
    const stop = new AbortController();
    let sends = 0;
    const send = (_lane: Lane, arrived: () => void): void => {
      sends++;
      void clock.sleep(answerMs).then(arrived);
    };
    const loop = async (): Promise<void> => {
      while (!stop.signal.aborted) await sender.sendNext(() => ({ withdrawal: 1, deposit: 0, rescreen: 0 }), send, stop.signal);
    };
    const ended = loop();
    await clock.advance(0);
    await clock.advance(103_000);
    stop.abort();
    await ended;
    return sends;
  };
  expect(await sentIn(5)).toBeGreaterThanOrEqual(995);
  expect(await sentIn(990)).toBeGreaterThanOrEqual(970);
  // 10 per 1,470 ms.
  expect(await sentIn(5_000)).toBeGreaterThanOrEqual(700);
});

test('a budget far away is asked for late grants, and what is sent keeps the second', async () => {
  const clock = sleptClock();
  const stale: number[] = [];
  const { budget, asked, back } = watched(slowBudget(memoryBudget({ clock, limits }), clock, Array(60).fill(100)));
  const sender = new PacedSender({ budget, clock, limits, onStale: (ageMs) => stale.push(ageMs) });
  const at: number[] = [];
  expect(await runAll(sender, { withdrawal: 200, deposit: 0, rescreen: 0 }, async () => void at.push(clock.now()))).toBe('idle');
  expect(stale).toEqual([100, 100, 100, 100, 100]);
  expect(back).toEqual([1, 1, 1, 1, 1]);
  // 55 late ones, then 100 timely ones until the sender trusts the budget again.
  expect(new Set(asked.map(([, , lateMs]) => lateMs))).toEqual(new Set([400, 510]));
  expect(asked.at(-1)).toEqual(['withdrawal', 1, 400]);
  expect(at).toHaveLength(200);
  for (let i = 10; i < 200; i++) expect(at[i]! - at[i - 10]!).toBeGreaterThanOrEqual(1_030);
});

test('stops waiting when told to, spending nothing', async () => {
  const clock = new ManualClock(noon);
  const budget = memoryBudget({ clock, limits });
  await budget.pause('second', 60_000);
  const stop = new AbortController();
  const pending = new PacedSender({ budget, clock, limits }).sendNext(
    () => ({ withdrawal: 1, deposit: 0, rescreen: 0 }),
    () => expect.fail('must not send'),
    stop.signal,
  );
  await clock.advance(5_000);
  stop.abort();
  expect(await pending).toEqual({ kind: 'aborted' });
  expect((await budget.remaining()).day.withdrawal).toBe(limits.perDay);
});

test('a budget that cannot be asked is told to the caller', async () => {
  const clock = sleptClock();
  const budget = budgetWith(memoryBudget({ clock, limits }), { take: () => Promise.reject(new Error('away')) });
  const sender = new PacedSender({ budget, clock, limits });
  await expect(
    sender.sendNext(
      () => ({ withdrawal: 1, deposit: 0, rescreen: 0 }),
      () => 0,
    ),
  ).rejects.toThrow('away');
});

test.each([0, 51, Number.NaN])('refuses grants of an age of %d ms', (maxGrantAgeMs) => {
  const clock = sleptClock();
  expect(() => new PacedSender({ budget: memoryBudget({ clock, limits }), clock, limits, maxGrantAgeMs })).toThrow(RangeError);
});
