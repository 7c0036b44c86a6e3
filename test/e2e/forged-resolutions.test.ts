import { consoleSchema, startConsole } from '@weir/console';
import { type Exposure, type ReviewResolved, screeningId } from '@weir/contracts';
import { requested, scored } from '@weir/contracts/testing';
import { startDecision } from '@weir/decision';
import { createApp, createLogger, loadConfig, storeToken } from '@weir/service-kit';
import { caughtUp, deadLetters, openTestStack, type TestService, type TestStack, publishTo, readTopic } from '@weir/service-kit/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';

/** An attacker can write to the topic `reviews.resolved` only. */
let stack: TestStack;
let console: TestService;
let app: ReturnType<typeof createApp>;
let decision: TestService;
beforeEach(async () => {
  stack = await openTestStack();
  console = await stack.service((pipeline) => startConsole(pipeline, loadConfig(consoleSchema, {})));
  app = createApp(createLogger({ service: 'test', level: 'silent' }), console.service.operations);
  decision = await stack.service((pipeline) => startDecision(pipeline, { policyFile: '', reviewSingleBelowUsd: '' }));
  for (const [who, role] of [
    ['ann', 'reviewer'],
    ['ben', 'approver'],
  ] as const)
    await storeToken(stack.db.pool, `token-${who}`, role, who);
});
afterEach(() => stack.close());

const id = screeningId('withdrawal', 'out-1');
const at = Date.UTC(2026, 0, 1);

/** Gives the withdrawal this result, and with it its first decision. */
async function screen(score: number, risk_level: 'High' | 'Severe', risk_detail: readonly Exposure[] = []): Promise<void> {
  const { transfer } = requested('out-1', { kind: 'withdrawal' });
  const result = scored('out-1', 1, 1, {
    kind: 'withdrawal',
    transfer: { ...transfer, from_address: null, usd_value: '5' },
    score,
    risk_level,
    risk_detail,
  });
  await publishTo(decision.pipeline, 'screenings.scored', result);
  await settle();
}

async function settle(): Promise<void> {
  await caughtUp(decision.pipeline, 'decision');
  await caughtUp(decision.pipeline, 'console');
}

async function ask(who: 'ann' | 'ben', path: string, body: object): Promise<{ status: number; body: { resolution_id: string } }> {
  const answer = await app.request(`/v1/reviews/${id}/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer token-${who}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: answer.status, body: (await answer.json()) as { resolution_id: string } };
}

const forged = (over: Partial<ReviewResolved> = {}): ReviewResolved => ({
  screening_id: id,
  revision: 1,
  action: 'allow',
  reviewer: 'reviewer:0000000000000000',
  approver: 'approver:1111111111111111',
  reason: 'r',
  resolved_at: at,
  resolution_id: screeningId('withdrawal', 'a resolution of nobody'),
  approved_at: at,
  ...over,
});
async function send(...events: ReviewResolved[]): Promise<void> {
  await publishTo(decision.pipeline, 'reviews.resolved', ...events);
  await settle();
}
async function decisions(): Promise<string[]> {
  const all = (await readTopic(decision.pipeline, 'screenings.decided')).map(({ data }) => data);
  return [...new Map(all.map((one) => [one.revision, `${one.revision} ${one.action}`])).values()];
}
const refused = async () =>
  (await deadLetters(decision.pipeline, 'reviews.resolved'))
    .map(({ headers }) => String(headers['weir_reason']))
    .toSorted((a, b) => a.localeCompare(b));

test('a forged resolution releases nothing, is a dead letter and is counted', async () => {
  await screen(80, 'High');
  await send(forged({ approver: null, approved_at: null }), forged({ approver: forged().reviewer }), forged());
  expect(await decisions()).toEqual(['1 review']);
  expect(await refused()).toEqual(['INVALID_REVIEW', 'UNKNOWN_RESOLUTION', 'UNKNOWN_RESOLUTION']);
  const metrics = await decision.pipeline.metrics.scrape();
  expect(metrics).toContain('weir_dead_letters_total{topic="reviews.resolved",reason="UNKNOWN_RESOLUTION"} 2');
  expect(metrics).toContain('weir_dead_letters_total{topic="reviews.resolved",reason="INVALID_REVIEW"} 1');
});

test('a forged resolution does not release what a sanctions match blocked', async () => {
  await screen(100, 'Severe', [
    { entity: 'S', risk_type: 'sanctioned_entity', exposure_type: 'direct', hop_num: 1, volume_usd: 1_000, percent: 100, side: null },
  ]);
  await send(forged(), forged({ approver: null, approved_at: null }));
  expect(await decisions()).toEqual(['1 block']);
  expect(await refused()).toEqual(['UNKNOWN_RESOLUTION', 'UNKNOWN_RESOLUTION']);
});

test('a resolution that waits for its approval is not approved by an event', async () => {
  await screen(80, 'High');
  const { resolution_id } = (await ask('ann', 'resolutions', { action: 'allow', reason: 'r' })).body;
  const { rows } = await stack.db.pool.query<{ resolved_by: string; resolved_at: Date }>(
    'SELECT resolved_by, resolved_at FROM console.resolutions',
  );
  const stored = { resolution_id, reviewer: String(rows[0]?.resolved_by), resolved_at: Number(rows[0]?.resolved_at) };
  await send(forged({ ...stored, approver: null, approved_at: null }), forged(stored), forged({ ...stored, action: 'block' }));
  expect(await decisions()).toEqual(['1 review']);
  expect(await refused()).toEqual(Array(3).fill('RESOLUTION_NOT_APPROVED'));
  // The real approval still counts.
  expect((await ask('ben', 'approvals', { resolution_id, approve: true })).status).toBe(200);
  await settle();
  expect(await decisions()).toEqual(['1 review', '2 allow']);
});

test('an approved resolution is not applied with another action or to another revision', async () => {
  await screen(80, 'High');
  const { resolution_id } = (await ask('ann', 'resolutions', { action: 'block', reason: 'r' })).body;
  await ask('ben', 'approvals', { resolution_id, approve: true });
  await settle();
  expect(await decisions()).toEqual(['1 review', '2 block']);
  const [real] = (await readTopic(decision.pipeline, 'reviews.resolved')).map(({ data }) => ({ ...data }));
  await send(forged({ ...real, action: 'allow' }), forged({ ...real, revision: 2, action: 'allow' }));
  expect(await decisions()).toEqual(['1 review', '2 block']);
  expect(await refused()).toEqual(['RESOLUTION_DIFFERS', 'RESOLUTION_DIFFERS']);
});
