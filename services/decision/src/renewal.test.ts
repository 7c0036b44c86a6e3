import { type ReviewResolved, screeningId } from '@weir/contracts';
import { putResolution } from '@weir/reviews/testing';
import { caughtUp, type TestService, type TestStack, publishTo, readTopic } from '@weir/service-kit/testing';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { requested, scored, unavailable } from '@weir/contracts/testing';
import { openDecision } from './role.testing.ts';

let stack: TestStack;
let decision: TestService;
beforeEach(async () => {
  ({ stack, decision } = await openDecision());
});
afterEach(() => stack.close());

const high = { risk_level: 'High', score: 80 } as const;

async function score(...results: ReturnType<typeof scored>[]): Promise<void> {
  for (const result of results) {
    await publishTo(decision.pipeline, 'screenings.scored', result);
    await caughtUp(decision.pipeline, 'decision');
  }
}

/** People resolve this revision. */
async function resolve(revision: number, action: 'allow' | 'block'): Promise<void> {
  const resolution: ReviewResolved = {
    screening_id: screeningId('deposit', 'd-1'),
    revision,
    action,
    reviewer: 'reviewer:a',
    approver: 'approver:b',
    reason: 'known',
    resolved_at: 1,
    resolution_id: screeningId('deposit', `resolution-${revision}`),
    approved_at: 2,
  };
  await putResolution(stack.db.pool, resolution);
  await publishTo(decision.pipeline, 'reviews.resolved', resolution);
  await caughtUp(decision.pipeline, 'decision');
}

async function decisions(): Promise<string[]> {
  const all = (await readTopic(decision.pipeline, 'screenings.decided')).map(({ data }) => data);
  const once = [...new Map(all.map((one) => [one.revision, one])).values()].toSorted((a, b) => a.revision - b.revision);
  return once.map(({ revision, action, reason_codes }) => `${revision} ${action} ${reason_codes.join()}`);
}

test('an aged allow for which there is no result in time is held, and a late result decides', async () => {
  await score(
    scored('d-1', 1, 1),
    { ...unavailable('d-1', 2, 1, ['DEADLINE_PASSED']), renews_revision: 1 },
    scored('d-1', 2, 2, { renews_revision: 1 }),
  );
  expect(await decisions()).toEqual(['1 allow LEVEL_LOW', '2 review DEADLINE_PASSED', '3 allow LEVEL_LOW']);
});

test('an aged allow of people is decided anew by the policy; what people decide then stands', async () => {
  await score(scored('d-1', 1, 1, high));
  await resolve(1, 'allow');
  await score(scored('d-1', 2, 1, { ...high, renews_revision: 2 }), scored('d-1', 2, 1, { ...high, renews_revision: 2 }));
  expect(await decisions()).toEqual(['1 review LEVEL_HIGH', '2 allow REVIEWED', '3 review LEVEL_HIGH']);
  await resolve(3, 'block');
  await score(scored('d-1', 2, 2, { renews_revision: 2 }), scored('d-1', 3, 1, { renews_revision: 4 }), scored('d-1', 4, 1, high));
  expect((await decisions()).slice(3)).toEqual(['4 block REVIEWED']);
});

test('a result that renews another revision than the one in force overrides no person, and holds nothing', async () => {
  await score(scored('d-1', 1, 1, high));
  await resolve(1, 'allow');
  await score(scored('d-1', 2, 1, { ...high, renews_revision: 1 }), { ...unavailable('d-1', 3, 1), renews_revision: 3 });
  expect(await decisions()).toEqual(['1 review LEVEL_HIGH', '2 allow REVIEWED']);
});

describe('while scoring is away', () => {
  const longPast = { requested_at: Date.UTC(2026, 0, 2), deadline_at: Date.UTC(2026, 0, 2) + 60_000 };

  async function renew(revision: number, over: Partial<ReturnType<typeof requested>> = {}): Promise<void> {
    await publishTo(
      decision.pipeline,
      'screenings.requested',
      requested('d-1', { attempt: revision + 1, renews_revision: revision, ...longPast, ...over }),
    );
    await caughtUp(decision.pipeline, 'decision');
  }
  const untilDecided = (...expected: string[]): Promise<void> =>
    vi.waitFor(async () => expect(await decisions()).toEqual(expected), { timeout: 10_000 });

  test('an aged allow is held at the deadline of its renewal, and the late result supersedes the hold', async () => {
    await score(scored('d-1', 1, 1));
    await renew(1);
    await untilDecided('1 allow LEVEL_LOW', '2 review DEADLINE_PASSED,PRICE_UNAVAILABLE');
    await score(
      { ...unavailable('d-1', 2, 1, ['DEADLINE_PASSED']), renews_revision: 1 },
      scored('d-1', 2, 2, { renews_revision: 1, risk_level: 'Moderate', score: 35 }),
      scored('d-1', 2, 3, { renews_revision: 1 }),
    );
    expect((await decisions()).slice(1)).toEqual([
      '2 review DEADLINE_PASSED,PRICE_UNAVAILABLE',
      '3 review LEVEL_MODERATE',
      '4 allow LEVEL_LOW',
    ]);
    // The next allow ages too.
    await renew(4);
    await vi.waitFor(async () => expect((await decisions()).at(-1)).toBe('5 review DEADLINE_PASSED,PRICE_UNAVAILABLE'), {
      timeout: 10_000,
    });
  });

  test('an aged allow of people is held at the deadline of its renewal', async () => {
    await score(scored('d-1', 1, 1, high));
    await resolve(1, 'allow');
    await renew(2);
    await untilDecided('1 review LEVEL_HIGH', '2 allow REVIEWED', '3 review DEADLINE_PASSED,PRICE_UNAVAILABLE');
    await score(scored('d-1', 2, 1, { renews_revision: 2 }));
    expect((await decisions()).at(-1)).toBe('4 allow LEVEL_LOW');
  });

  test('a renewal is pending in the metrics until its deadline by the clock of the database', async () => {
    const open = async (state: string): Promise<(string | undefined)[]> => {
      const text = await decision.pipeline.metrics.scrape();
      return ['open', 'oldest_seconds'].map((name) => {
        const metric = name === 'open' ? 'weir_screenings_open' : 'weir_screening_oldest_seconds';
        return new RegExp(`^${metric}\\{kind="deposit",state="${state}"\\} (\\d+)`, 'm').exec(text)?.[1];
      });
    };
    await score(scored('d-1', 1, 1));
    expect(await open('pending')).toEqual(['0', '0']);
    await renew(1, { requested_at: Date.now() - 3_600_000, deadline_at: Date.now() + 3_600_000 });
    const [count, oldest] = await open('pending');
    expect([count, oldest?.length]).toEqual(['1', 4]);
    expect(await decisions()).toEqual(['1 allow LEVEL_LOW']);
    await stack.db.pool.query(`UPDATE decision.screenings SET renewal_deadline_at = now() - interval '3 seconds'`);
    await untilDecided('1 allow LEVEL_LOW', '2 review DEADLINE_PASSED,PRICE_UNAVAILABLE');
    expect(await open('pending')).toEqual(['0', '0']);
    expect((await open('held'))[0]).toBe('1');
  });

  test('a renewal of another revision than the one in force holds nothing', async () => {
    await score(scored('d-1', 1, 1), scored('d-1', 2, 1, { renews_revision: 1 }));
    await renew(1);
    await renew(7);
    // Overdue ones are found together.
    await publishTo(
      decision.pipeline,
      'screenings.requested',
      requested('d-2', { requested_at: 1, deadline_at: longPast.deadline_at + 1 }),
    );
    await vi.waitFor(
      async () => {
        const { rows } = await stack.db.pool.query('SELECT screening_id, revision FROM decision.screenings ORDER BY revision');
        expect(rows).toEqual([
          { screening_id: screeningId('deposit', 'd-2'), revision: 1 },
          { screening_id: screeningId('deposit', 'd-1'), revision: 2 },
        ]);
      },
      { timeout: 10_000 },
    );
  });
});
