import type { Described } from '@weir/service-kit';
import { z } from 'zod';

const fields = {
  topic: z.string().describe('The topic that the record came from.'),
  offset: z.string().describe('In the dead letter topic; `PARTITION:OFFSET` in a partition other than 0.'),
  reason: z.string().describe('A code.'),
  detail: z.string(),
  key: z.string(),
  at: z.iso.datetime().describe('When it became a dead letter.'),
  bytes: z.int().min(0),
};

export const deadLetterView = z.strictObject(fields).meta({ id: 'DeadLetter' });

export const deadLetterDetailView = z
  .strictObject({
    ...fields,
    came_from: z
      .strictObject({ partition: z.int().nullable(), offset: z.int().nullable() })
      .describe('The place in its topic; null where it is not known.'),
    headers: z.record(z.string(), z.string()).describe('As the record had them.'),
    value_base64: z.string().describe('Its bytes.'),
    data: z.unknown().describe('The record; null where the bytes cannot be read as a record of the topic.'),
  })
  .meta({ id: 'DeadLetterDetail' });

export const replayedView = z.strictObject({ topic: fields.topic, offset: fields.offset }).meta({ id: 'ReplayedDeadLetter' });

export const exampleDeadLetter: Described<typeof deadLetterView> = {
  topic: 'deposits.detected',
  offset: '0',
  reason: 'UNDECODABLE',
  detail: 'the record has no schema number',
  key: 'deposit-1',
  at: '2026-01-31T09:12:24.100Z',
  bytes: 2,
};

export const exampleDetail = {
  ...exampleDeadLetter,
  came_from: { partition: 1, offset: 17 },
  headers: { ce_type: 'deposits.detected' },
  value_base64: 'e30=',
  data: null,
};
