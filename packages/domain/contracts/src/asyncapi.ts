import { topicAcls } from './access.ts';
import { topicSchemas } from './generated/records.ts';
import { deadLetterTopic, type Topic, type TopicContract, topicSpecs, topics } from './topics.ts';

type Json = Readonly<Record<string, unknown>>;

/** Callers write these themselves, or post the transfer. */
const inputs: readonly Topic[] = ['deposits.detected', 'withdrawals.requested'];

/** AsyncAPI 3.0 of the topics: their Avro schemas, headers, keys, framing and dead letters. */
export function asyncApi(): Json {
  const all = topicSpecs.map((spec) => [idOf(spec.name), spec] as const);
  return {
    asyncapi: '3.0.0',
    info: { title: 'Weir topics', version: '1.0.0', description: about, license: { name: 'Apache-2.0' } },
    defaultContentType: 'application/avro',
    channels: Object.fromEntries(all.map(([id, spec]) => [id, channelOf(id, spec)])),
    operations: Object.fromEntries(all.map(([id, { name }]) => [id, operationOf(id, name)])),
    components: { messages: Object.fromEntries(topics.flatMap(messagesOf)) },
  };
}

const about = [
  'The value is a zero byte, the id of the schema in four bytes (big-endian), then Avro: the wire format of Confluent Schema Registry.',
  'Headers are CloudEvents 1.0 (Kafka binding, binary mode) and a W3C traceparent. The key is the id of the transfer, so the events of one transfer stay in order.',
  'Records repeat. A repeat has the same ce_id and the same bytes.',
  'A record that cannot be processed goes to <topic>.dlq with its original bytes and headers.',
].join('\n');

function idOf(topic: string): string {
  return topic.replaceAll('.', '_');
}

function channelOf(id: string, { name, partitions, retentionMs, cleanup, maxBytes }: TopicContract): Json {
  const using = (operation: 'READ' | 'WRITE'): string =>
    topicAcls
      .filter((acl) => acl.resource === 'topic' && acl.name === name && acl.operation === operation && acl.user !== 'operator')
      .map(({ user }) => user)
      .join(', ');
  return {
    address: name,
    description: `Written by ${using('WRITE')}; read by ${using('READ')}.`,
    messages: { [id]: { $ref: `#/components/messages/${id}` } },
    bindings: {
      kafka: {
        topic: name,
        partitions,
        topicConfiguration: { 'cleanup.policy': [cleanup], 'retention.ms': retentionMs, 'max.message.bytes': maxBytes },
        bindingVersion: '0.5.0',
      },
    },
  };
}

function operationOf(id: string, name: string): Json {
  const action = inputs.some((topic) => topic === name) ? 'receive' : 'send';
  return { action, channel: { $ref: `#/channels/${id}` }, messages: [{ $ref: `#/channels/${id}/messages/${id}` }] };
}

function messagesOf(topic: Topic): [string, Json][] {
  const schema = JSON.parse(topicSchemas[topic]) as { name: string; doc: string };
  const dead = deadLetterTopic(topic);
  const shared = {
    contentType: 'application/avro',
    payload: { schemaFormat: 'application/vnd.apache.avro+json;version=1.9.0', schema },
    bindings: {
      kafka: { key: { type: 'string' }, schemaIdLocation: 'payload', schemaIdPayloadEncoding: 'confluent', bindingVersion: '0.5.0' },
    },
  };
  const summary = `A record of ${topic} that could not be processed, with its original bytes.`;
  return [
    [idOf(topic), { name: schema.name, summary: schema.doc, headers: headersOf(topic), ...shared }],
    [idOf(dead), { name: `${schema.name}DeadLetter`, summary, headers: deadLetterHeaders(topic), ...shared }],
  ];
}

const text = (description: string): Json => ({ type: 'string', description });

function headersOf(topic: Topic): Json {
  const properties = {
    ce_specversion: { const: '1.0' },
    ce_id: { type: 'string', format: 'uuid', description: 'Derived from the content; a repeat has the same.' },
    ce_source: text('/weir/<service>'),
    ce_type: { const: `weir.${topic}` },
    ce_time: { type: 'string', format: 'date-time' },
    'content-type': { const: 'application/avro' },
    traceparent: text('W3C trace context: one trace a screening; without a screening that of the request, if it was traced.'),
  };
  // Callers who write the inputs themselves may leave headers out.
  const required = inputs.includes(topic) ? [] : Object.keys(properties).filter((name) => name !== 'traceparent');
  return { type: 'object', properties, ...(required.length === 0 ? {} : { required }) };
}

function deadLetterHeaders(topic: Topic): Json {
  const added = {
    weir_reason: text('A code, such as MALFORMED or UNDECODABLE.'),
    weir_detail: text('The cause, for people.'),
    weir_group: text('The consumer group that gave it up.'),
    weir_topic: { const: topic },
    weir_partition: text('Of the original record.'),
    weir_offset: text('Of the original record.'),
  };
  return { type: 'object', description: 'Those of the original record, and these.', properties: added, required: Object.keys(added) };
}
