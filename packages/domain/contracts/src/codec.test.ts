import { describe, expect, test } from 'vitest';
import { topicSchemas } from './generated/records.ts';
import { Codec, type DepositDetected, memorySchemaIds, type SchemaIds, UndecodableRecord } from './index.ts';

const deposit: DepositDetected = {
  deposit_id: 'd-1',
  chain: null,
  coin: 'ETH',
  txid: null,
  from_address: '0x098b716b8aaf21512996dc57eb0615e2383e2f96',
  to_address: '0x28c6c06298d514db089934071355e5743bf21d60',
  amount: '144835.998000000000000001',
  usd_value: null,
  user_id: 'ü',
  memo: null,
  detected_at: 1_648_000_000_000,
};

describe('a record', () => {
  test('comes back as it went in', async () => {
    const codec = await Codec.open(memorySchemaIds());
    expect(await codec.decode('deposits.detected', codec.encode('deposits.detected', deposit))).toEqual(deposit);
  });

  test('that does not fit is refused with the name of the field', async () => {
    const codec = await Codec.open(memorySchemaIds());
    const wrong = { ...deposit, amount: 12 } as unknown as DepositDetected;
    expect(() => codec.encode('deposits.detected', wrong)).toThrow('amount');
  });

  test('has the bytes of the Avro library behind the number of its schema, however long it is', async () => {
    const ids = memorySchemaIds();
    const codec = await Codec.open(ids);
    const { default: avro } = await import('avsc');
    const own = await ids.find(await ids.register('deposits.detected', topicSchemas['deposits.detected']));
    const type = avro.Type.forSchema(JSON.parse(own ?? ''));
    const users = ['u', 'ü€😀', 'x'.repeat(64), 'ü'.repeat(65), 'x'.repeat(16_384), 'ü'.repeat(200_000), 'u'];
    const written = users.map((user_id) => codec.encode('deposits.detected', { ...deposit, user_id }));
    expect(written.map((bytes) => bytes.subarray(0, 5))).toEqual(users.map(() => Buffer.from([0, 0, 0, 0, 1])));
    expect(written.map((bytes) => bytes.subarray(5))).toEqual(users.map((user_id) => type.toBuffer({ ...deposit, user_id })));
  });

  test.each([
    ['coin', undefined],
    ['detected_at', 1.5],
    ['detected_at', 2 ** 60],
    ['detected_at', '1'],
    ['user_id', {}],
  ])('with %s %j is refused by name', async (field, value) => {
    const codec = await Codec.open(memorySchemaIds());
    const wrong: DepositDetected = { ...deposit, [field]: value };
    expect(() => codec.encode('deposits.detected', wrong)).toThrow(`deposits.detected: field ${field} does not fit its schema`);
  });

  test.each([
    ['no bytes', Buffer.alloc(0)],
    ['another magic byte', Buffer.from([1, 0, 0, 0, 1, 2])],
    ['JSON', Buffer.from('{"deposit_id":"d-1"}')],
    ['an unknown schema', Buffer.from([0, 0, 0, 9, 9, 0])],
    ['a cut body', undefined],
    ['bytes left over', undefined],
  ])('of %s is undecodable', async (name, bytes) => {
    const codec = await Codec.open(memorySchemaIds());
    const whole = codec.encode('deposits.detected', deposit);
    const given = bytes ?? (name === 'a cut body' ? whole.subarray(0, -3) : Buffer.concat([whole, Buffer.from([0])]));
    await expect(codec.decode('deposits.detected', given)).rejects.toBeInstanceOf(UndecodableRecord);
  });

  test('of another topic is undecodable', async () => {
    const codec = await Codec.open(memorySchemaIds());
    const bytes = codec.encode('deposits.detected', deposit);
    await expect(codec.decode('screenings.decided', bytes)).rejects.toBeInstanceOf(UndecodableRecord);
  });

  test('written with an older schema is read with the default of a newer field', async () => {
    const ids = memorySchemaIds();
    const codec = await Codec.open(ids);
    const { default: avro } = await import('avsc');
    const older = {
      type: 'record',
      name: 'DepositDetected',
      namespace: 'weir',
      fields: ['deposit_id', 'coin', 'to_address', 'amount']
        .map((name) => ({ name, type: 'string' }))
        .concat([{ name: 'detected_at', type: { type: 'long', logicalType: 'timestamp-millis' } as unknown as string }]),
    };
    const id = await ids.register('deposits.detected', JSON.stringify(older));
    const body = avro.Type.forSchema(older as never).toBuffer({ ...deposit });
    const header = Buffer.from([0, 0, 0, 0, id]);
    expect(await codec.decode('deposits.detected', Buffer.concat([header, body]))).toEqual({
      ...deposit,
      txid: null,
      from_address: null,
      user_id: null,
    });
  });
});

test('a record stored before a field was added is written with its default', async () => {
  const codec = await Codec.open(memorySchemaIds());
  const { memo: _, ...stored } = deposit;
  expect(await codec.decode('deposits.detected', codec.encode('deposits.detected', stored as DepositDetected))).toEqual(deposit);
});

test('a registry that cannot be asked is not taken for a bad record', async () => {
  const known = memorySchemaIds();
  const away: SchemaIds = { register: (topic, schema) => known.register(topic, schema), find: () => Promise.reject(new Error('away')) };
  const codec = await Codec.open(away);
  await expect(codec.decode('deposits.detected', Buffer.from([0, 0, 0, 9, 9, 0]))).rejects.toThrow('away');
});

test('the same buffer is decoded once, and for another topic anew', async () => {
  const codec = await Codec.open(memorySchemaIds());
  const bytes = codec.encode('deposits.detected', deposit);
  const first = await codec.decode('deposits.detected', bytes);
  expect(await codec.decode('deposits.detected', bytes)).toBe(first);
  expect(await codec.decode('deposits.detected', Buffer.from(bytes))).toEqual(first);
  await expect(codec.decode('screenings.scored', bytes)).rejects.toThrow(UndecodableRecord);
});
