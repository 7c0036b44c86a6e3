import { randomBytes } from 'node:crypto';
import { systemClock } from '@weir/clock';
import { Codec, topicSpecs } from '@weir/contracts';
import { resolved } from '@weir/contracts/testing';
import { openKafkaLog } from '@weir/event-log/kafka';
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { startRegistry, type TestRegistry } from '../../../../test/support/stack/registry.ts';
import type { KafkaTier } from './kafka-connection.ts';
import { registrySchemaIds } from './registry-schema-ids.ts';
import { subscribeStage } from './stage.ts';
import { deadLetters, openTestStack, type TestStack } from './testing.ts';

const brokers = (process.env['WEIR_TEST_KAFKA_BROKERS'] ?? '').split(',');
let registry: TestRegistry;
let tier: KafkaTier;
beforeAll(async () => {
  registry = await startRegistry();
  tier = { kafka: { brokers }, registry: { url: registry.url } };
  const log = openKafkaLog({ connection: { brokers }, clock: systemClock });
  await log.createTopics(topicSpecs);
  await log.close();
});
afterAll(() => registry.stop());

const review = resolved('s');

test('a schema has one number, is registered as it stands, and its subject is held to full compatibility', async () => {
  const [one, two] = [registrySchemaIds(tier.registry), registrySchemaIds(tier.registry)];
  const [writer, reader] = [await Codec.open(one), await Codec.open(two)];
  const bytes = writer.encode('reviews.resolved', review);
  expect(await reader.decode('reviews.resolved', bytes)).toEqual(review);
  const subject = `${registry.url}/subjects/reviews.resolved-value/versions`;
  expect(await (await fetch(subject)).json()).toEqual([1]);
  const { schema, id } = (await (await fetch(`${subject}/1`)).json()) as { schema: string; id: number };
  expect(JSON.parse(schema)).toMatchObject({ name: 'ReviewResolved' });
  expect(id).toBe(bytes.readUInt32BE(1));
  expect(await (await fetch(`${registry.url}/config/reviews.resolved-value`)).json()).toEqual({ compatibilityLevel: 'FULL_TRANSITIVE' });
});

test('processes that register a schema first and at once all get its number', async () => {
  const schema = JSON.stringify({ type: 'record', name: 'First', namespace: 'weir', fields: [] });
  const empty = await startRegistry();
  onTestFinished(() => empty.stop());
  const ids = await Promise.all(Array.from({ length: 8 }, () => registrySchemaIds({ url: empty.url }).register('labels.changed', schema)));
  expect(new Set(ids).size).toBe(1);
  // Apicurio may take two at once for two versions. Both are the same schema, under the same number.
  const subject = `${empty.url}/subjects/labels.changed-value/versions`;
  const versions = (await (await fetch(subject)).json()) as number[];
  const idOf = async (version: number): Promise<unknown> => ((await (await fetch(`${subject}/${version}`)).json()) as { id: unknown }).id;
  expect(await Promise.all(versions.map(idOf))).toEqual(versions.map(() => ids[0]));
});

test('an incompatible schema is refused, and a compatible one gets a number of its own', async () => {
  const ids = registrySchemaIds(tier.registry);
  await Codec.open(ids);
  const latest = await fetch(`${registry.url}/subjects/withdrawals.requested-value/versions/latest`);
  const { schema, id } = (await latest.json()) as { schema: string; id: number };
  const withField = (field: object): string => {
    const changed = JSON.parse(schema) as { fields: object[] };
    return JSON.stringify({ ...changed, fields: [...changed.fields, field] });
  };
  await expect(ids.register('withdrawals.requested', withField({ name: 'later', type: 'string' }))).rejects.toMatchObject({
    code: 'REGISTRY_REFUSED',
    retriable: false,
    message: 'the schema registry refused a schema: it is incompatible with an earlier version',
  });
  const after = await ids.register('withdrawals.requested', withField({ name: 'later', type: 'string', default: '' }));
  expect(after).not.toBe(id);
  expect((await ids.find(after)) ?? '').toContain('"later"');
});

test.each([0, 40_000, 2_147_483_648, 4_294_967_295])("number %i is nobody's", async (id) => {
  expect(await registrySchemaIds(tier.registry).find(id)).toBeUndefined();
});

test('without its registry a pipeline does not open, with one line', async () => {
  const stack = await openTestStack({ tier: { ...tier, registry: { url: 'http://127.0.0.1:1' } } });
  await expect(stack.pipeline()).rejects.toMatchObject({
    code: 'REGISTRY_UNAVAILABLE',
    message: 'the schema registry of SCHEMA_REGISTRY_URL cannot be reached',
  });
  await stack.close();
});

test('without its brokers neither', async () => {
  const stack = await openTestStack({ tier: { ...tier, kafka: { brokers: ['127.0.0.1:1'] } } });
  const said = 'setting KAFKA_BROKERS is wrong, or its brokers cannot be reached: Kafka cannot be reached';
  await expect(stack.pipeline()).rejects.toMatchObject({ code: 'CONFIG_INVALID', message: said });
  await stack.close();
});

let stack: TestStack;
beforeEach(async () => {
  stack = await openTestStack({ tier });
});
afterEach(() => stack.close());

test('bytes that are no record go to the dead letters as they are; while the registry is away nothing is taken for that', async () => {
  const pipeline = await stack.pipeline();
  const seen: string[] = [];
  const failures: unknown[] = [];
  vi.spyOn(pipeline.logger, 'warn').mockImplementation((context: unknown) => void failures.push(context));
  await subscribeStage(pipeline, {
    group: `readers-${randomBytes(4).toString('hex')}`,
    topics: ['reviews.resolved'],
    handle: async (events) => void seen.push(...events.map(({ data }) => data.reason)),
  });
  const told = (key: string, value: Buffer): Promise<void> =>
    pipeline.log.publish([{ topic: 'reviews.resolved', key, value, headers: {} }]);
  const bytes = Buffer.concat([Buffer.from([0]), randomBytes(30)]);
  await told('bad', bytes);
  await vi.waitFor(
    async () => expect((await deadLetters(pipeline, 'reviews.resolved')).map(({ value }) => value)).toEqual([bytes]),
    20_000,
  );

  // A later version of the schema, whose id this process does not know.
  const known = (await (await fetch(`${registry.url}/subjects/reviews.resolved-value/versions/1`)).json()) as { schema: string };
  const schema = JSON.parse(known.schema) as { fields: object[] };
  schema.fields.push({ name: 'later', type: 'string', default: '' });
  const later = (await registrySchemaIds(tier.registry).register('reviews.resolved', JSON.stringify(schema))) + 1_000;
  const own = pipeline.codec.encode('reviews.resolved', review);
  const foreign = Buffer.concat([Buffer.from([0, 0, 0, later >> 8, later & 255]), own.subarray(5), Buffer.from([0])]);
  await registry.kill();
  await told('later', foreign);
  await told('own', own);
  // Records with a known id continue, the other waits.
  await vi.waitFor(() => expect(seen).toEqual(['known']), 20_000);
  await vi.waitFor(() => expect(failures.length).toBeGreaterThan(1), 20_000);
  expect(await deadLetters(pipeline, 'reviews.resolved')).toHaveLength(1);
  await registry.restart();
  // The in-memory registry lost its schemas, so the id is unknown.
  await vi.waitFor(async () => expect(await deadLetters(pipeline, 'reviews.resolved')).toHaveLength(2), 30_000);
});
