import { createHash, randomInt } from 'node:crypto';
import { createChainSchema, putLabel } from '@weir/chain-store/testing';
import { deadLetterTopic, type DepositDetected, screeningId, type Topic } from '@weir/contracts';
import { startDecision } from '@weir/decision';
import { startDepositIngest } from '@weir/deposit-ingest';
import { putResolution, createResolutions } from '@weir/reviews/testing';
import { startUpstream, type Upstream } from '@weir/risk-client/testing';
import { startScoring } from '@weir/scoring';
import { createApp, createLogger, type OpenPipeline, type Pipeline, type Service, storeToken } from '@weir/service-kit';
import { openTestStack, publishTo, readTopic, type TestStack, withLogElsewhere } from '@weir/service-kit/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { settingsFor } from '../../services/scoring/src/settings.testing.ts';
import { seededRandom } from '../support/stack/random.ts';

const rounds = 6;
const transfersEach = 25;
const base = Date.now() - 3_600_000;
const silent = createLogger({ service: 'test', level: 'silent' });

/** Ingest, scoring and decision on a database and a risk API of their own. */
interface System {
  readonly stack: TestStack;
  readonly upstream: Upstream;
  readonly pipeline: Pipeline;
  readonly post: (deposit: object) => Promise<number>;
}

let systems: readonly System[] = [];
/** Counts the changes of each subject. */
const versions = new Map<string, number>();
beforeEach(() => versions.clear());
afterEach(async () => {
  for (const { stack, upstream } of systems) {
    await stack.close();
    await upstream.close();
  }
});

/** Composed: all stages in one process. Otherwise each is in its own, and its events reach the next by the log alone. */
async function open(isComposed: boolean, through: (pipeline: OpenPipeline) => OpenPipeline): Promise<System> {
  const stack = await openTestStack();
  const upstream = await startUpstream();
  upstream.answer((subject) => ({ data: { ...answerAbout(subject), scanned_ts: Math.floor(base / 1_000) } }));
  upstream.change();
  const pipeline = through(await stack.pipeline());
  await createResolutions(pipeline.pool);
  await createChainSchema(pipeline.pool);
  await storeToken(pipeline.pool, 'token', 'ingest', 'test');
  const own = (): Promise<Pipeline> => (isComposed ? Promise.resolve(pipeline) : stack.pipeline().then(through));
  const scoring = settingsFor(upstream, { upstreamPerSecond: 1_000, upstreamPerDay: 1_000_000, rescreenPollMs: 100 });
  const ingest = await start(stack, await own(), (opened) => startDepositIngest(opened, { depositDeadlineMs: 600_000 }));
  await start(stack, await own(), (opened) => startScoring(opened, scoring));
  await start(stack, await own(), (opened) => startDecision(opened, { policyFile: '', reviewSingleBelowUsd: '' }));
  const app = createApp(silent, ingest.operations);
  const headers = { authorization: 'Bearer token', 'content-type': 'application/json' };
  return {
    stack,
    upstream,
    pipeline,
    post: async (deposit) => (await app.request('/v1/deposits', { method: 'POST', headers, body: JSON.stringify(deposit) })).status,
  };
}

/** The stack stops it before it closes its pipelines. */
async function start(stack: TestStack, pipeline: Pipeline, service: (pipeline: Pipeline) => Promise<Service>): Promise<Service> {
  const { service: started } = await stack.service(async () => service(pipeline));
  return started;
}

function answerAbout(subject: string): Readonly<Record<string, unknown>> {
  const [byte = 0] = createHash('sha256')
    .update(`${subject} ${versions.get(subject) ?? 0}`)
    .digest();
  if (byte < 130) return { score: 3, risk_level: 'Low' };
  if (byte < 170) return { score: 40, risk_level: 'Moderate' };
  return byte < 230 ? { score: 75, risk_level: 'High' } : { score: 95, risk_level: 'Severe' };
}

const addressOf = (n: number): string => `0xa${n.toString(16).padStart(39, '0')}`;
const addresses = Array.from({ length: 12 }, (_, n) => addressOf(n));
/** The first ones are listed in one of the rounds, and the others change. */
const listable = 2;

/** A deposit; the same `n` is the same deposit, unless its amount differs. */
function depositOf(n: number, random: () => number, amount: string): DepositDetected {
  const values = ['5', '2500', '25000', null] as const;
  return {
    deposit_id: `d-${n}`,
    chain: 'ethereum',
    coin: n % 17 === 0 ? 'NOCOIN' : 'ETH',
    txid: null,
    from_address: addresses[Math.floor(random() * addresses.length)] ?? null,
    to_address: addressOf(1_000),
    amount,
    usd_value: values[Math.floor(random() * values.length)] ?? null,
    user_id: `u-${n % 5}`,
    memo: null,
    detected_at: base + n,
  };
}

interface Arrival {
  readonly deposit: DepositDetected;
  readonly isPosted: boolean;
}

/** What happens in one round, the same for each system. */
interface Round {
  /** The senders of one wave differ: which of two with one question comes first would be chance, and shows in a listed one's results. */
  readonly waves: readonly (readonly Arrival[])[];
  readonly changed: readonly string[];
  readonly listed: readonly string[];
}

function draw(round: number, random: () => number, before: DepositDetected[]): Round {
  const fresh = Array.from({ length: transfersEach }, (_, n) => depositOf(round * transfersEach + n, random, '1.5'));
  const pick = (): DepositDetected | undefined => before[Math.floor(random() * before.length)];
  const repeats = Array.from({ length: 6 }, pick).filter((one) => one !== undefined);
  const conflicts = Array.from({ length: 3 }, pick).flatMap((one) => (one === undefined ? [] : [{ ...one, amount: '7' }]));
  const arrivals = [...fresh, ...repeats, ...conflicts].map((deposit) => ({ deposit, isPosted: random() < 0.5 }));
  before.push(...fresh);
  const some = (from: number, share: number): string[] => addresses.slice(from).filter(() => random() < share);
  return {
    waves: wavesOf(arrivals),
    changed: round === 0 ? [] : some(listable, 0.3),
    listed: round === 2 ? addresses.slice(0, listable) : [],
  };
}

function wavesOf(arrivals: readonly Arrival[]): Arrival[][] {
  const waves: Arrival[][] = [];
  for (const arrival of arrivals) {
    const { from_address, deposit_id } = arrival.deposit;
    const isFree = (wave: readonly Arrival[]): boolean =>
      wave.every(({ deposit }) => deposit.from_address !== from_address && deposit.deposit_id !== deposit_id);
    const last = waves.findLastIndex((wave) => !isFree(wave)) + 1;
    (waves[last] ??= []).push(arrival);
  }
  return waves;
}

async function play(system: System, { waves, changed, listed }: Round): Promise<void> {
  const { upstream, pipeline, post } = system;
  for (const address of listed) await putLabel(pipeline.pool, { address });
  if (changed.length > 0) upstream.change(...changed.map((subject) => ({ subject })));
  await settled(system);
  for (const wave of waves) {
    const told = wave.filter(({ isPosted }) => !isPosted).map(({ deposit }) => deposit);
    const posted = wave.filter(({ isPosted }) => isPosted).map(({ deposit }) => deposit);
    await publishTo(pipeline, 'deposits.detected', ...told);
    await Promise.all(posted.map(({ detected_at, ...one }) => post({ ...one, detected_at: new Date(detected_at).toISOString() })));
    await settled(system);
  }
}

/** Two people allow some of the held ones; one resolution names a revision that is no longer the latest. */
async function review({ pipeline }: System, round: number, random: () => number): Promise<void> {
  const { rows } = await pipeline.pool.query<{ screening_id: string; revision: number }>(
    "SELECT screening_id, revision FROM decision.screenings WHERE action = 'review' ORDER BY screening_id",
  );
  for (const { screening_id, revision } of rows.filter(() => random() < 0.3)) {
    const resolution = {
      resolution_id: screeningId('deposit', `${screening_id} ${round}`),
      screening_id,
      revision: random() < 0.2 ? revision - 1 : revision,
      action: random() < 0.5 ? 'allow' : 'block',
      reviewer: 'a',
      approver: 'b',
      reason: 'known',
      resolved_at: base,
      approved_at: base,
    } as const;
    if (resolution.revision === 0) continue;
    await putResolution(pipeline.pool, resolution);
    await publishTo(pipeline, 'reviews.resolved', resolution);
  }
}

async function settled({ pipeline, upstream }: System): Promise<void> {
  const polls = upstream.polls;
  await vi.waitFor(
    async () => {
      expect(upstream.polls).toBeGreaterThan(polls + 1);
      for (const group of ['deposit-ingest', 'scoring', 'decision']) {
        const lag = await pipeline.log.lag(group);
        expect([group, lag.length > 0, lag.reduce((sum, each) => sum + each.lag, 0n)]).toEqual([group, true, 0n]);
      }
      const { rows } = await pipeline.pool.query(
        `SELECT (SELECT count(*) FROM scoring.lookups) + (SELECT count(*) FROM scoring.rescreens)
           + (SELECT count(*) FROM scoring.screenings WHERE state <> 'answered') AS open`,
      );
      expect(rows).toEqual([{ open: 0n }]);
    },
    { timeout: 60_000, interval: 50 },
  );
}

/** Moments, which of several transfers with one question came first, and the port of the risk API. */
const incidental = new Set([
  'requested_at',
  'deadline_at',
  'scored_at',
  'reported_at',
  'decided_at',
  'received_at',
  'scanned_ts',
  'reused',
  'provider',
]);
const plain = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (key, of: unknown) => (incidental.has(key) ? null : typeof of === 'bigint' ? String(of) : of)));

const topics = ['deposits.detected', 'screenings.requested', 'screenings.scored', 'screenings.decided'] as const;

async function eventsOf({ pipeline }: System): Promise<unknown[]> {
  const events = await Promise.all(topics.map((topic: Topic) => readTopic(pipeline, topic)));
  const all = events
    .flat()
    .map(({ id, data, record: { topic, key, headers } }) => plain({ topic, id, key, data, headers: { ...headers, ce_time: null } }));
  return all.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

function distinct(events: readonly unknown[]): unknown[] {
  return [...new Map(events.map((event) => [JSON.stringify(event), event])).values()];
}

async function rowsOf({ pipeline: { pool } }: System): Promise<unknown> {
  const read = async (text: string) => (await pool.query(text)).rows;
  return plain([
    await read('SELECT screening_id, given, request FROM intake.transfers ORDER BY 1'),
    await read('SELECT screening_id, attempt, request, state, sequence, counterparty FROM scoring.screenings ORDER BY 1, 2'),
    await read('SELECT screening_id, kind, transfer, revision, action, by_person, attempt, sequence FROM decision.screenings ORDER BY 1'),
    await read(
      'SELECT screening_id, revision, cause, action, event_id, policy_hash, rule, reason_codes, evidence FROM decision.decisions ORDER BY 1, 2',
    ),
    await read('SELECT user_key, counterparty_key, kind, usd_value, screening_id FROM decision.transfers ORDER BY screening_id'),
  ]);
}

async function deadIn({ pipeline }: System): Promise<unknown[]> {
  const dead = await Promise.all([...topics, 'reviews.resolved' as const].map((topic) => readDead(pipeline, topic)));
  return dead.flat().toSorted();
}

async function readDead({ log }: Pipeline, topic: Topic): Promise<string[]> {
  const name = deadLetterTopic(topic);
  const count = await log.partitions(name);
  const all = await Promise.all(Array.from({ length: count }, (_, n) => log.read(name, n, 0n, 10_000)));
  return all.flat().map(({ key, value, headers }) => `${topic} ${key} ${headers['weir_reason']} ${value.toString('base64')}`);
}

/** Deposits whose decision was made by the transaction that stored them. */
async function inOneTransaction({ pipeline }: System): Promise<number> {
  const { rows } = await pipeline.pool.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM intake.transfers t JOIN decision.decisions d ON d.screening_id = t.screening_id AND d.xmin = t.xmin',
  );
  return rows[0]?.count ?? 0;
}

const inDatabase = (pipeline: OpenPipeline): OpenPipeline => pipeline;

test.each([
  ['in the database', 1, inDatabase],
  ['in the database', 2, inDatabase],
  ['elsewhere', 3, withLogElsewhere],
  ['elsewhere', 4, withLogElsewhere],
])('composed and stage by stage, with the log %s, sequence %i ends in the same rows and the same events', async (_, __, through) => {
  systems = await Promise.all([open(true, through), open(false, through)]);
  const seed = Number(process.env['WEIR_TEST_SEED'] ?? randomInt(2 ** 31));
  process.stdout.write(`WEIR_TEST_SEED=${seed}\n`);
  const random = seededRandom(seed);
  const deposits: DepositDetected[] = [];
  for (let round = 0; round < rounds; round++) {
    const of = draw(round, random, deposits);
    for (const subject of of.changed) versions.set(subject, (versions.get(subject) ?? 0) + 1);
    await Promise.all(systems.map((system) => play(system, of)));
    const reviews = Math.floor(random() * 2 ** 31);
    await Promise.all(systems.map((system) => review(system, round, seededRandom(reviews)).then(() => settled(system))));
  }
  const [composed, staged] = systems as [System, System];
  expect(await rowsOf(composed)).toEqual(await rowsOf(staged));
  // Where the log is elsewhere, a repeat is published again with the same bytes.
  const read = async (system: System): Promise<unknown[]> =>
    through === withLogElsewhere ? distinct(await eventsOf(system)) : eventsOf(system);
  expect(await read(composed)).toEqual(await read(staged));
  expect(await deadIn(composed)).toEqual(await deadIn(staged));
  expect(await inOneTransaction(composed)).toBeGreaterThan(transfersEach);
  expect(await inOneTransaction(staged)).toBe(0);
});
