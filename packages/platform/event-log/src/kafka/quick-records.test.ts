import { createRequire } from 'node:module';
import fc from 'fast-check';
import { expect, onTestFinished, test, vi } from 'vitest';
import { decodeRecord, encodeRecord, quickRecords, type RecordToEncode, slowRecords } from './quick-records.ts';

const require = createRequire(import.meta.url);
const Decoder = require('kafkajs/src/protocol/decoder') as new (bytes: Buffer) => { readonly buffer: Buffer; readVarIntBytes(): Buffer };
const text = fc.oneof(fc.string(), fc.string({ unit: 'binary', maxLength: 300 }), fc.constantFrom('ce_id', '__proto__', 'constructor'));
const bytes = fc.uint8Array({ maxLength: 300 }).map((of) => Buffer.from(of));
const int = fc.oneof(fc.integer({ min: -(2 ** 30), max: 2 ** 30 - 1 }), fc.integer({ min: 0, max: 300 }));
const headerValue = fc.oneof({ weight: 9, arbitrary: text }, bytes, fc.array(text, { maxLength: 3 }));
const records: fc.Arbitrary<RecordToEncode> = fc.record(
  {
    key: fc.oneof({ weight: 9, arbitrary: text }, bytes, fc.constant(null)),
    value: fc.oneof({ weight: 9, arbitrary: bytes }, fc.constant(null)),
    offsetDelta: int,
    timestampDelta: fc.oneof(int, fc.maxSafeInteger()),
    headers: fc.dictionary(text, headerValue, { maxKeys: 8 }),
  },
  { requiredKeys: ['key', 'value'] },
);
const contexts = fc.record({
  firstOffset: fc.bigInt({ min: 0n, max: 2n ** 62n }).map(String),
  firstTimestamp: fc.bigInt({ min: 0n, max: 2n ** 50n }).map(String),
  maxTimestamp: fc.bigInt({ min: 0n, max: 2n ** 50n }).map(String),
  timestampType: fc.constantFrom(0, 1),
  magicByte: fc.constant(2),
  isControlBatch: fc.boolean(),
});

test('kafkajs uses them from its first request on', async () => {
  quickRecords();
  const allocate = vi.spyOn(Buffer, 'allocUnsafe');
  onTestFinished(() => allocate.mockRestore());
  const request = require('kafkajs/src/protocol/requests/produce/v3/request') as (of: object) => { encode(): Promise<{ buffer: Buffer }> };
  const messages = [{ key: 'k', value: Buffer.from('v'), headers: { name: 'of it' } }];
  const topicData = [{ topic: 't', partitions: [{ partition: 0, firstSequence: 0, messages }] }];
  const { buffer } = await request({ acks: -1, timeout: 1, topicData }).encode();
  // Those of kafkajs fill their buffers with zeros.
  expect(allocate).toHaveBeenCalled();
  expect(buffer.includes('of it')).toBe(true);
});

const bytesOf = ({ buf, offset }: { buf: Buffer; offset: number }): Buffer => buf.subarray(0, offset);

test('a record has the bytes that kafkajs writes', () => {
  fc.assert(
    fc.property(records, (record) => {
      expect(bytesOf(encodeRecord(record))).toEqual(bytesOf(slowRecords.encode(record)));
    }),
    { numRuns: 1_000 },
  );
});

test('a record reads as kafkajs reads it, with headers that repeat', () => {
  fc.assert(
    fc.property(records, contexts, (record, context) => {
      const inner = new Decoder(bytesOf(slowRecords.encode(record))).readVarIntBytes();
      expect(decodeRecord(new Decoder(inner), context)).toEqual(slowRecords.decode(new Decoder(inner), context));
    }),
    { numRuns: 1_000 },
  );
});

test('a record that is cut off fails or reads as with kafkajs', () => {
  const outcome = (read: () => object): unknown => {
    try {
      return read();
    } catch (error) {
      return String(error);
    }
  };
  fc.assert(
    fc.property(records, contexts, fc.nat(), (record, context, at) => {
      const whole = new Decoder(bytesOf(slowRecords.encode(record))).readVarIntBytes();
      const cut = whole.subarray(0, at % whole.length);
      expect(outcome(() => decodeRecord(new Decoder(cut), context))).toEqual(outcome(() => slowRecords.decode(new Decoder(cut), context)));
    }),
    { numRuns: 1_000 },
  );
});
