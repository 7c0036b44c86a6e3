import { consoleSchema, startConsole } from '@weir/console';
import { screeningId, type RiskLevel } from '@weir/contracts';
import { requested, scored, unavailable } from '@weir/contracts/testing';
import { startDecision } from '@weir/decision';
import { createApp, createLogger, loadConfig, storeToken } from '@weir/service-kit';
import { caughtUp, openTestStack, type TestService, type TestStack, readTopic, publishTo } from '@weir/service-kit/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';

/** Two replicas each of the console and decision, with random steps on transfers. */
let stack: TestStack;
let consoles: [TestService, TestService];
let apps: [App, App];
beforeAll(async () => {
  stack = await openTestStack();
  const start = () => stack.service((pipeline) => startConsole(pipeline, loadConfig(consoleSchema, {})));
  consoles = [await start(), await start()];
  apps = [appOf(consoles[0]), appOf(consoles[1])];
  for (const _ of [1, 2]) await stack.service((pipeline) => startDecision(pipeline, { policyFile: '', reviewSingleBelowUsd: '' }));
  for (const who of people) await storeToken(stack.db.pool, `token-${who}`, 'approver', who);
});
afterAll(() => stack.close());

type App = ReturnType<typeof createApp>;
const appOf = ({ service }: TestService): App => createApp(createLogger({ service: 'test', level: 'silent' }), service.operations);

const people = ['ann', 'ben', 'cleo'] as const;
const levels = { Low: 'allow', High: 'review', Severe: 'block' } as const;
const who = fc.constantFrom(...people);
const step = fc.oneof(
  fc.record({
    what: fc.constant('scored' as const),
    sequence: fc.integer({ min: 1, max: 6 }),
    level: fc.constantFrom('Low', 'High', 'High', 'Severe'),
  }),
  fc.record({ what: fc.constant('unavailable' as const), sequence: fc.integer({ min: 1, max: 6 }) }),
  fc.record({ what: fc.constant('overdue' as const) }),
  { weight: 3, arbitrary: fc.record({ what: fc.constant('resolve' as const), who, action: fc.constantFrom('allow', 'block') }) },
  { weight: 3, arbitrary: fc.record({ what: fc.constant('answer' as const), who, approve: fc.constantFrom(true, true, false) }) },
  fc.record({ what: fc.constant('reopen' as const), who }),
  fc.record({ what: fc.constant('again' as const), which: fc.nat() }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;
const drawn = fc.array(fc.tuple(step, fc.constantFrom(0 as const, 1 as const)), { minLength: 6, maxLength: 16 });
const held: [Step, 0 | 1] = [{ what: 'scored', sequence: 1, level: 'High' }, 0];
const steps = fc.tuple(fc.constantFrom([], [held]), drawn).map(([begin, rest]) => [...begin, ...rest]);

// Fixed cases that random steps may miss: a result after the people's decision, and one that supersedes a pending resolution.
const resolved: [Step, 0 | 1] = [{ what: 'resolve', who: 'ann', action: 'allow' }, 1];
const approved: [Step, 0 | 1] = [{ what: 'answer', who: 'ben', approve: true }, 0];
const newer: [Step, 0 | 1] = [{ what: 'scored', sequence: 2, level: 'Severe' }, 1];

// oxlint-disable-next-line typescript/no-explicit-any -- tests check the shape of the answer
type Body = any;

async function ask(replica: 0 | 1, method: string, path: string, by: string, body?: object): Promise<{ status: number; body: Body }> {
  const answer = await apps[replica].request(path, {
    method,
    headers: { authorization: `Bearer token-${by}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: await answer.json() };
}
const show = async (id: string, replica: 0 | 1 = 0) => (await ask(replica, 'GET', `/v1/reviews/${id}`, 'ann')).body;

async function settle(): Promise<void> {
  await caughtUp(consoles[0].pipeline, 'decision');
  await caughtUp(consoles[0].pipeline, 'console');
}

async function publish(name: string, fact: Extract<Step, { what: 'scored' | 'unavailable' | 'overdue' }>, replica: 0 | 1): Promise<void> {
  const { pipeline } = consoles[replica];
  const transfer = { ...requested(name).transfer, usd_value: '5' };
  if (fact.what === 'overdue')
    return publishTo(pipeline, 'screenings.requested', requested(name, { transfer, deadline_at: transfer.occurred_at + 1 }));
  if (fact.what === 'unavailable') return publishTo(pipeline, 'screenings.scored', { ...unavailable(name, 1, fact.sequence), transfer });
  const risk_level = fact.level as RiskLevel;
  const score = { Low: 3, High: 80, Severe: 100 }[fact.level as 'Low'];
  return publishTo(pipeline, 'screenings.scored', scored(name, 1, fact.sequence, { transfer, score, risk_level }));
}

/** Publishes a resolution or decision of this transfer again, like a sender that was killed. */
async function tellAgain(id: string, which: number): Promise<void> {
  const { pipeline } = consoles[0];
  const events = [...(await readTopic(pipeline, 'reviews.resolved')), ...(await readTopic(pipeline, 'screenings.decided'))];
  const ours = events.filter(({ data }) => data.screening_id === id);
  const event = ours[which % Math.max(ours.length, 1)];
  if (event === undefined) return;
  const topic = 'resolved_at' in event.data ? 'reviews.resolved' : 'screenings.decided';
  await pipeline.log.publish([{ topic, key: String(which), value: event.record.value, headers: event.record.headers }]);
}

/** The model of a transfer. */
interface Model {
  revision: number;
  action: string | null;
  byPeople: boolean;
  /** Some decision allowed it. */
  wasAllowed: boolean;
  sequence: number;
  pending: { by: string; action: string; id: string } | undefined;
}

/** No person revoked the allow that is no longer in force, so people look at it. */
const isAdverse = ({ action, byPeople, wasAllowed }: Model): boolean => action !== 'allow' && !byPeople && wasAllowed;

/** Performs the step and updates the model. */
async function act(model: Model, name: string, [one, replica]: [Step, 0 | 1]): Promise<void> {
  const id = screeningId('deposit', name);
  const next = (action: string): void =>
    void Object.assign(model, {
      revision: model.revision + 1,
      action,
      pending: undefined,
      wasAllowed: model.wasAllowed || action === 'allow',
    });
  if (one.what === 'again') return tellAgain(id, one.which);
  if (one.what === 'scored' || one.what === 'unavailable' || one.what === 'overdue') {
    await publish(name, one, replica);
    const counts = one.what === 'scored' ? one.sequence > model.sequence : model.revision === 0;
    if (model.byPeople || !counts) return;
    if (one.what !== 'overdue') model.sequence = one.sequence;
    return next(one.what === 'scored' ? levels[one.level as 'Low'] : 'review');
  }
  const path = `/v1/reviews/${id}`;
  if (one.what === 'resolve') {
    const { status, body } = await ask(replica, 'POST', `${path}/resolutions`, one.who, { action: one.action, reason: 'r' });
    const may = (model.action === 'review' || isAdverse(model)) && model.pending === undefined;
    expect(may ? [201] : [404, 409]).toContain(status);
    if (may) model.pending = { by: one.who, action: one.action, id: body.resolution_id };
  } else if (one.what === 'reopen') {
    const { status } = await ask(replica, 'POST', `${path}/reopenings`, one.who, { reason: 'r' });
    const may = model.action === 'allow' || model.action === 'block';
    expect(may ? [201] : [404, 409]).toContain(status);
    if (may) {
      model.byPeople = true;
      next('review');
    }
  } else if (model.pending !== undefined) {
    const { by, action } = model.pending;
    const answer = { resolution_id: model.pending.id, approve: one.approve };
    const { status } = await ask(replica, 'POST', `${path}/approvals`, one.who, answer);
    expect(status).toBe(by === one.who ? 403 : 200);
    if (by === one.who) return;
    model.pending = undefined;
    if (!one.approve) return;
    model.byPeople = true;
    next(action);
  }
}

let round = 0;

/** Side by side, because most of a step is waiting for the events to go round. */
const together = 5;

test('step by step it is what the model says', async () => {
  let [reviewed, late] = [0, 0];
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { minLength: together, maxLength: together }), async (given) => {
      const transfers = given.map((own) => {
        round += 1;
        const model: Model = { revision: 0, action: null, byPeople: false, wasAllowed: false, sequence: 0, pending: undefined };
        return { name: `m-${round}`, own, model };
      });
      const turns = Math.max(...given.map(({ length }) => length));
      for (let turn = 0; turn < turns; turn += 1) {
        const acting = transfers.flatMap(({ own, ...transfer }) => own.slice(turn, turn + 1).map((one) => ({ ...transfer, one })));
        await Promise.all(acting.map(({ model, name, one }) => act(model, name, one)));
        for (const { model, name, one } of acting) {
          const id = screeningId('deposit', name);
          // A watch finds overdue screenings.
          await vi.waitFor(
            async () => {
              await settle();
              const found = await show(id, one[1]);
              expect(found.revision ?? 0).toBe(model.revision);
            },
            { timeout: 5_000, interval: 50 },
          );
          const found = await show(id);
          if (found.status === 404) continue;
          expect(found.action).toBe(model.action);
          expect(found.state).toBe(stateOf(model));
          reviewed += model.byPeople ? 1 : 0;
          late += found.late_result ? 1 : 0;
        }
      }
    }),
    { seed: 20_261, numRuns: 6, verbose: 1, examples: [[[[held, resolved, approved, newer], [held], [held], [held], [held]]]] },
  );
  // Otherwise the run would prove nothing about them.
  expect(reviewed).toBeGreaterThan(1);
  expect(late).toBeGreaterThan(0);
});

function stateOf(model: Model): string {
  if (model.action !== 'review' && !isAdverse(model)) return model.byPeople ? 'resolved' : 'not_held';
  return model.pending === undefined ? 'open' : 'pending_approval';
}

test('all at once, whatever comes first: one line of revisions, people’s stand, and nothing is stuck', async () => {
  let superseded = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { minLength: 2, maxLength: 4 }), async (threads) => {
      round += 1;
      const name = `c-${round}`;
      const id = screeningId('deposit', name);
      await publish(name, { what: 'scored', sequence: 1, level: 'High' }, 0);
      await settle();
      await Promise.all(threads.map((given) => rush(name, given)));
      await settle();
      await vi.waitFor(async () => {
        await settle();
        const found = await show(id);
        expect(found.resolutions.filter(({ state }: Body) => state === 'approved')).toEqual([]);
      });
      superseded += holds(await show(id));
    }),
    { seed: 20_261, numRuns: 25, verbose: 1, examples: [[[[resolved, newer], []]]] },
  );
  expect(superseded).toBeGreaterThan(0);
});

async function rush(name: string, given: readonly [Step, 0 | 1][]): Promise<void> {
  const path = `/v1/reviews/${screeningId('deposit', name)}`;
  for (const [one, replica] of given) {
    if (one.what === 'scored' || one.what === 'unavailable' || one.what === 'overdue') await publish(name, one, replica);
    else if (one.what === 'again') await tellAgain(screeningId('deposit', name), one.which);
    else if (one.what === 'resolve') await ask(replica, 'POST', `${path}/resolutions`, one.who, { action: one.action, reason: 'r' });
    else if (one.what === 'reopen') await ask(replica, 'POST', `${path}/reopenings`, one.who, { reason: 'r' });
    else {
      const { resolution } = (await ask(replica, 'GET', path, one.who)).body;
      const answer = { resolution_id: resolution?.resolution_id, approve: one.approve };
      if (resolution !== null) expect((await ask(replica, 'POST', `${path}/approvals`, one.who, answer)).status).toBeLessThan(500);
    }
  }
}

/** Checks the invariants of any order. Returns the number of superseded resolutions. */
function holds({ decisions, resolutions }: Body): number {
  expect(decisions.map(({ revision }: Body) => revision)).toEqual(decisions.map((_: Body, n: number) => n + 1));
  const byPeople = decisions.map(({ resolution_id }: Body) => resolution_id !== null);
  // After the first decision by people, all are theirs.
  expect(byPeople).toEqual([...byPeople].sort((a, b) => Number(a) - Number(b)));
  const applied = resolutions.filter(({ state }: Body) => state === 'applied');
  expect(new Set(applied.map(({ resolution_id }: Body) => resolution_id))).toEqual(
    new Set(decisions.flatMap(({ resolution_id }: Body) => resolution_id ?? [])),
  );
  for (const resolution of applied) {
    const next = decisions[resolution.revision];
    expect(next).toMatchObject({ action: resolution.action, resolution_id: resolution.resolution_id, reason_codes: ['REVIEWED'] });
    if (resolution.action !== 'review') expect(resolution.answered_by.id).not.toBe(resolution.resolved_by.id);
  }
  expect(applied.length).toBe(byPeople.filter(Boolean).length);
  return resolutions.filter(({ state }: Body) => state === 'superseded').length;
}
