import { createChainSchema } from '@weir/chain-store/testing';
import { startUpstream, type Upstream } from '@weir/risk-client/testing';
import { type OpenPipeline, storeToken } from '@weir/service-kit';
import { caughtUp, openTestStack, readTopic, type TestStack } from '@weir/service-kit/testing';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { weir } from '../../packages/cli/src/testing/weir.ts';
import { startKafka, type TestKafka, unkilled } from '../support/stack/kafka.ts';
import { variables } from '../support/stack/parts.ts';
import { freePort } from '../support/stack/ports.ts';
import { Replica } from '../support/stack/replica.ts';

let kafka: TestKafka;
let stack: TestStack;
let upstream: Upstream;
let pipeline: OpenPipeline;
let composed: Replica;

beforeAll(async () => {
  // Its own broker: topic names are fixed, so it would screen records of other tests.
  kafka = await startKafka({ properties: unkilled });
  const env = { KAFKA_BROKERS: kafka.brokers, SCHEMA_REGISTRY_URL: process.env[variables.registry] ?? '' };
  expect(await weir(['topics', 'apply'], { env })).toMatchObject({ code: 0 });
  stack = await openTestStack({ tier: { kafka: { brokers: [kafka.brokers] }, registry: { url: env.SCHEMA_REGISTRY_URL } } });
  upstream = await startUpstream();
  pipeline = await stack.pipeline();
  await createChainSchema(pipeline.pool);
  await storeToken(pipeline.pool, 'token', 'ingest', 'test');
  composed = new Replica({
    name: 'pipeline',
    script: 'packages/installation/src/main.ts',
    port: await freePort(),
    env: {
      ...env,
      DATABASE_URL: stack.db.url,
      WEIR_STAGES: 'deposit-ingest,scoring,decision',
      WEIR_UPSTREAM_URL: upstream.url,
      WEIR_UPSTREAM_API_KEY: upstream.apiKey,
    },
  });
  await composed.start();
});
afterAll(async () => {
  await composed?.end('SIGTERM');
  await stack?.close();
  await upstream?.close();
  await kafka?.stop();
});

async function post(id: string): Promise<void> {
  const deposit = {
    deposit_id: id,
    coin: 'ETH',
    from_address: '0x098B716B8Aaf21512996dC57EB0615e2383E2f96',
    to_address: '0x28C6c06298d514Db089934071355E5743bf21d60',
    amount: '1.5',
    usd_value: '100',
  };
  const headers = { authorization: 'Bearer token', 'content-type': 'application/json' };
  const answer = await fetch(`${composed.url}/v1/deposits`, { method: 'POST', headers, body: JSON.stringify(deposit) });
  expect(answer.status).toBe(202);
}

/** Whether the transaction that stored the deposit decided it. Waits for the decision. */
async function isDecidedAtOnce(id: string): Promise<boolean> {
  return vi.waitFor(
    async () => {
      const { rows } = await pipeline.pool.query<{ at_once: boolean }>(
        `SELECT t.xmin = d.xmin AS at_once FROM intake.transfers t JOIN decision.decisions d USING (screening_id) WHERE t.given ->> 'source_id' = $1`,
        [id],
      );
      expect(rows).toHaveLength(1);
      return rows[0]?.at_once === true;
    },
    { timeout: 60_000, interval: 50 },
  );
}

test('stages of one process carry a posted deposit through all of them in one transaction, and publish each event once', async () => {
  await post('d-1');
  // Its question has to be answered first.
  expect(await isDecidedAtOnce('d-1')).toBe(false);
  await vi.waitFor(
    async () => {
      const carried: boolean[] = [];
      for (const n of [1, 2, 3, 4]) {
        const id = `known-${performance.now()}-${n}`;
        await post(id);
        carried.push(await isDecidedAtOnce(id));
      }
      // The process is assigned all partitions a moment after its start.
      expect(carried).toEqual([true, true, true, true]);
    },
    { timeout: 60_000 },
  );
  for (const group of ['deposit-ingest', 'scoring', 'decision']) await caughtUp(pipeline, group);
  for (const topic of ['deposits.detected', 'screenings.requested', 'screenings.scored', 'screenings.decided'] as const) {
    const ids = (await readTopic(pipeline, topic)).map(({ id }) => id);
    expect([topic, ids.length]).toEqual([topic, new Set(ids).size]);
    expect(ids.length).toBeGreaterThan(4);
  }
});

test('a process of stages names them in its metrics, for no target of Prometheus has their names', async () => {
  const metrics = await (await fetch(`${composed.url}/metrics`)).text();
  expect(new Set([...metrics.matchAll(/^weir_stage_info\{stage="(.+)"\} 1$/gm)].map(([, stage]) => stage))).toEqual(
    new Set(['decision', 'deposit-ingest', 'scoring']),
  );
});
