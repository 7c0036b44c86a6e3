import { z } from 'zod';
import type { Described } from './schemas.ts';

const hopView = z
  .strictObject({
    txid: z.string(),
    time: z.iso.datetime(),
    coin: z.string(),
    amount: z.string().nullable().describe('In the coin, as decimal text; null: unknown.'),
    usd: z.number().nullable().describe('At the time of the transfer; null: unknown.'),
    from: z.string(),
    to: z.string(),
  })
  .meta({ id: 'Hop' });

/** An exposure under the risk API's names. */
export const exposureView = z
  .strictObject({
    entity: z.string(),
    risk_type: z.string(),
    exposure_type: z.enum(['direct', 'indirect']),
    hop_num: z.int().min(0),
    volume: z.number().nullable().describe('USD; null: unknown.'),
    percent: z.number().nullable().describe('0 to 100.'),
    side: z
      .enum(['in', 'out'])
      .nullable()
      .exactOptional()
      .describe('in: the subject received the money; out: it sent the money; null: unknown. Absent in rows of older versions.'),
    counterparty: z
      .string()
      .nullable()
      .exactOptional()
      .describe('The address next to the subject; null: unknown. Absent in lists, and where no stored answer has it.'),
    sources: z
      .array(z.string())
      .exactOptional()
      .describe('Of the labels that name the entity. Absent in lists, and where no stored answer has them.'),
    path: z
      .array(hopView)
      .exactOptional()
      .describe(
        'The transfers that carried most of the money, in the order of time; empty: the risk API gives none. Absent in lists, and where no stored answer has it.',
      ),
  })
  .meta({ id: 'Exposure' });
export type ExposureView = Described<typeof exposureView>;
