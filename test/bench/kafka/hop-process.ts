/**
 * One hop of the baseline: consume, produce and commit with plain kafkajs. Arguments: brokers, group, input topic, output topic, bytes of
 * an output value, records of a batch (0: one by one, as in common use of `eachMessage`), database and table for one row of each record
 * (absent: none is stored).
 */
import { openPool, prepared } from '@weir/postgres';
import kafkajs from 'kafkajs';

const [brokers = '', group = '', from = '', to = '', bytes = '', batchSize = '', databaseUrl, table] = process.argv.slice(2);
const pool = databaseUrl === undefined ? undefined : openPool({ url: databaseUrl, max: 1 });
const kafka = new kafkajs.Kafka({ clientId: group, brokers: [brokers], logLevel: kafkajs.logLevel.NOTHING });
const producer = kafka.producer({ idempotent: true, allowAutoTopicCreation: false });
const consumer = kafka.consumer({ groupId: group, maxWaitTimeInMs: 100 });
const value = Buffer.alloc(Number(bytes), 7);
const size = Number(batchSize);

await producer.connect();
await consumer.connect();
await consumer.subscribe({ topics: [from], fromBeginning: true });
consumer.on(consumer.events.GROUP_JOIN, () => process.send?.('ready'));
const commit = (partition: number, last: string): Promise<void> =>
  consumer.commitOffsets([{ topic: from, partition, offset: String(BigInt(last) + 1n) }]);
const passOn = (messages: readonly kafkajs.KafkaMessage[]): Promise<unknown> =>
  producer.send({ topic: to, acks: -1, messages: messages.map(({ key, headers }) => ({ key, value, ...(headers && { headers }) })) });
const store = async (messages: readonly kafkajs.KafkaMessage[]): Promise<void> => {
  const keys = messages.map(({ key }) => key?.toString() ?? '');
  await pool?.query(prepared(`INSERT INTO ${table} SELECT u.key, $2 FROM unnest($1::text[]) AS u(key)`), [keys, value]);
};

if (size === 0) {
  await consumer.run({
    autoCommit: false,
    eachMessage: async ({ partition, message }) => {
      await passOn([message]);
      await commit(partition, message.offset);
    },
  });
} else {
  await consumer.run({
    autoCommit: false,
    eachBatchAutoResolve: false,
    eachBatch: async (payload) => {
      const { batch } = payload;
      for (let at = 0; at < batch.messages.length; at += size) {
        const part = batch.messages.slice(at, at + size);
        const last = part.at(-1)?.offset ?? '0';
        await store(part);
        await passOn(part);
        await commit(batch.partition, last);
        payload.resolveOffset(last);
        await payload.heartbeat();
      }
    },
  });
}
process.once(
  'disconnect',
  () => void Promise.all([consumer.disconnect(), producer.disconnect(), pool?.end()]).finally(() => process.exit()),
);
