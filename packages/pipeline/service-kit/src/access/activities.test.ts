import { systemClock } from '@weir/clock';
import { migrate, transaction } from '@weir/postgres';
import { createTestDatabase } from '@weir/postgres/testing';
import { activeSpan, inSpan, startTracing } from '@weir/tracing';
import { expect, onTestFinished, test } from 'vitest';
import { accessMigrations } from '../migrations.ts';
import { recordActivity, takeActivities } from './activities.ts';

test('an act keeps the trace of the request that did it, and none outside of one', async () => {
  const db = await createTestDatabase();
  onTestFinished(() => db.drop());
  await migrate(db.pool, 'access', accessMigrations);
  // Nobody listens there: spans are lost, and traces are not.
  const tracing = await startTracing({ endpoint: 'http://127.0.0.1:9', headers: '', ratio: 1 }, systemClock);
  onTestFinished(() => tracing.stop());
  const act = (subject: string): Promise<void> =>
    recordActivity(db.pool, { action: 'coin_added', subjectType: 'coin', subject, by: { id: 'a', name: 'Ada' }, at: 1_000 });
  const request = await inSpan({ service: 'test', name: 'POST', parent: 'none' }, async () => {
    await act('within');
    return activeSpan();
  });
  await act('outside');
  const taken = await transaction(db.pool, (tx) => takeActivities(tx, 10));
  expect(taken.map(({ activity, cause }) => [activity.subject, cause])).toEqual([
    ['within', `00-${request?.traceId}-${request?.spanId}-01`],
    ['outside', undefined],
  ]);
  expect(taken[0]?.activity).not.toHaveProperty('traceparent');
});
