import { eventId, screeningId } from '@weir/contracts';
import { createLogger } from '@weir/service-kit';
import { caughtUp, openTestStack, type TestService, type TestStack, readTopic } from '@weir/service-kit/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startDecision } from './index.ts';
import { requested, scored, unavailable } from '@weir/contracts/testing';
import { decisionRole } from './role.testing.ts';

let stack: TestStack;
let replicas: [TestService, TestService];
const warnings: string[] = [];
beforeAll(async () => {
  stack = await openTestStack({ roles: [decisionRole] });
  const logger = createLogger({ service: 'decision', level: 'warn', destination: { write: (line: string) => void warnings.push(line) } });
  const start = () =>
    stack.service((pipeline) => startDecision({ ...pipeline, logger }, { policyFile: '', reviewSingleBelowUsd: '' }), {
      role: decisionRole,
    });
  replicas = [await start(), await start()];
});
afterAll(() => stack.close());

interface Step {
  readonly transfer: number;
  readonly what: 'requested' | 'overdue' | 'scored' | 'unavailable';
  readonly sequence: number;
  /** The replica whose log publishes it. */
  readonly through: 0 | 1;
  /** Steps of one lane stay in order; both replicas may handle those of several at once. */
  readonly lane: number;
}

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    transfer: fc.nat({ max: 2 }),
    what: fc.constantFrom('requested', 'overdue', 'scored', 'unavailable'),
    sequence: fc.integer({ min: 1, max: 3 }),
    through: fc.constantFrom(0, 1),
    lane: fc.nat({ max: 7 }),
  }),
  { minLength: 1, maxLength: 30 },
);

// Cases that the drawn steps may miss: a hold superseded by a late result, and a repeat.
const late: Step = { transfer: 0, what: 'scored', sequence: 1, through: 1, lane: 0 };
const repeated: Step = { ...late, transfer: 1 };
const superseding: Step[] = [{ ...late, what: 'overdue' }, repeated, late, repeated];

const overdue = { deadline_at: Date.UTC(2026, 0, 1) + 1 };

function publish({ what, sequence, through, lane }: Step, id: string): Promise<void> {
  const { log, codec } = replicas[through].pipeline;
  const record =
    what === 'requested' || what === 'overdue'
      ? { topic: 'screenings.requested', value: codec.encode('screenings.requested', requested(id, what === 'overdue' ? overdue : {})) }
      : {
          topic: 'screenings.scored',
          value: codec.encode('screenings.scored', what === 'scored' ? scored(id, 1, sequence) : unavailable(id, 1, sequence)),
        };
  return log.publish([{ ...record, key: `lane-${lane}`, headers: {} }]);
}

interface Made extends Record<string, unknown> {
  readonly revision: number;
  readonly cause: string;
  readonly event_id: string;
}

async function made(id: string): Promise<Made[]> {
  const { rows } = await stack.db.pool.query<Made>(
    'SELECT revision, cause, event_id FROM decision.decisions WHERE screening_id = $1 ORDER BY revision',
    [screeningId('deposit', id)],
  );
  return rows;
}

/** Invariants of one transfer, in whatever order its causes came. */
async function holds(id: string, came: readonly Step[]): Promise<void> {
  const rows = await made(id);
  expect(rows.map(({ revision }) => revision)).toEqual(rows.map((_, n) => n + 1));
  expect(rows.map(({ event_id }) => event_id)).toEqual(
    rows.map(({ revision }) => eventId('screenings.decided', screeningId('deposit', id), revision)),
  );
  const causes = rows.map(({ cause }) => cause);
  expect(new Set(causes).size).toBe(causes.length);
  const sequences = causes.filter((cause) => cause.startsWith('scored/')).map((cause) => Number(cause.split('/')[2]));
  expect(sequences).toEqual(sequences.toSorted((a, b) => a - b));
  expect(causes.indexOf('deadline')).toBeLessThanOrEqual(0);
  // The newest result is decided on, unless an event at least as new contradicts it.
  const newest = Math.max(0, ...came.filter(({ what }) => what === 'scored').map(({ sequence }) => sequence));
  const contradicted = came.some(({ what, sequence }) => what === 'unavailable' && sequence >= newest);
  if (newest > 0 && !contradicted) expect(sequences.at(-1)).toBe(newest);
  if (came.some(({ what }) => what === 'scored' || what === 'unavailable')) expect(rows.length).toBeGreaterThan(0);
}

async function nothingOverdue(): Promise<void> {
  const open = 'SELECT FROM decision.screenings WHERE revision = 0 AND deadline_at < now()';
  await vi.waitFor(async () => expect((await stack.db.pool.query(open)).rowCount).toBe(0), { timeout: 10_000, interval: 20 });
}

/** A failure prints the seed that repeats it. */
test('any interleaving with repeats over two replicas ends with one decision for each revision, and each event one content', async () => {
  let round = 0;
  let superseded = 0;
  await fc.assert(
    fc.asyncProperty(steps, async (given) => {
      round += 1;
      const id = (transfer: number): string => `d-${round}-${transfer}`;
      // Overdue screenings of the first half are held; the second half is late.
      for (const half of [given.slice(0, given.length / 2), given.slice(given.length / 2)]) {
        await Promise.all(half.map((step) => publish(step, id(step.transfer))));
        await caughtUp(replicas[0].pipeline, 'decision');
        await nothingOverdue();
      }
      for (const transfer of [0, 1, 2]) {
        const came = given.filter((step) => step.transfer === transfer);
        await holds(id(transfer), came);
        superseded += (await made(id(transfer))).length > 1 ? 1 : 0;
      }
    }),
    { numRuns: 20, verbose: 1, examples: [[superseding]] },
  );
  expect(superseded).toBeGreaterThan(0);
  // Replicas wait for each other: a deadlock would show as a warning.
  expect(warnings).toEqual([]);

  const contents = new Map<string, string>();
  const events = await readTopic(replicas[0].pipeline, 'screenings.decided');
  for (const { id, record } of events) {
    const content = record.value.toString('hex') + JSON.stringify(record.headers);
    expect(contents.get(id) ?? content).toBe(content);
    contents.set(id, content);
  }
  // The run had repeats, and every decision was published once.
  expect(events).toHaveLength(contents.size);
  const { rows } = await stack.db.pool.query<{ event_id: string }>('SELECT event_id FROM decision.decisions');
  expect(rows.map(({ event_id }) => event_id).filter((id) => !contents.has(id))).toEqual([]);
});
