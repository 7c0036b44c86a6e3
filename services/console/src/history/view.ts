import type { Described } from '@weir/service-kit';
import { z } from 'zod';

const time = z.iso.datetime();
const count = z.int().min(0);
const usd = z.string().nullable().describe('Decimal: the sum of the declared values; null: no value is known.');

/** Screenings and their value. */
const totals = {
  count,
  usd,
  unknown_usd: count.describe('Screenings whose value is unknown; usd leaves them out.'),
};
export interface Totals {
  readonly count: number;
  readonly usd: string | null;
  readonly unknown_usd: number;
}

const kind = z.enum(['deposit', 'withdrawal']);
const action = z.enum(['block', 'review', 'allow']).nullable().describe('Of the latest revision; null: there is no decision yet.');
const level = z.enum(['Low', 'Moderate', 'High', 'Severe']).nullable().describe('Of the latest result; null: it has none.');

export const userView = z
  .strictObject({
    user_id: z.string(),
    kinds: z.array(z.strictObject({ kind, ...totals })),
    actions: z.array(z.strictObject({ action, ...totals })),
    levels: z.array(z.strictObject({ level, ...totals })),
    held: z.strictObject(totals).describe('Transfers held now.'),
    counterparties: z
      .array(z.strictObject({ address: z.string().nullable().describe('null: not known.'), ...totals }))
      .describe('Of the newest 1,000 transfers, those with the most first, 20 at most.'),
    open_reviews: count.describe('Reviews for people: held, or with an adverse update.'),
    first_requested_at: time,
    last_requested_at: time,
  })
  .meta({ id: 'User' });
export type UserView = Described<typeof userView>;

const levels = z.array(z.strictObject({ level, ...totals }));

export const addressView = z
  .strictObject({
    address: z.string(),
    transfers: z.strictObject(totals).describe('With the address on either side, the newest 1,000 at most.'),
    is_complete: z.boolean().describe('Whether these are all transfers with the address.'),
    sides: z
      .array(
        z.strictObject({ side: z.enum(['from', 'to']).describe('The side that the address is on; from, where it is on both.'), ...totals }),
      )
      .describe('Transfers from the address, and to it.'),
    counterparties: z
      .array(z.strictObject({ address: z.string().nullable().describe('null: not known.'), ...totals }))
      .describe('The addresses on the other side, those with the most transfers first, 20 at most.'),
    customers: z
      .array(z.strictObject({ user_id: z.string().nullable().describe('null: not given.'), ...totals }))
      .describe('Your customers, those with the most transfers first, 20 at most.'),
    actions: z.array(z.strictObject({ action, ...totals })),
    levels,
    days: z.array(z.strictObject({ day: z.iso.date().describe('UTC.'), levels })).describe('Results over time.'),
    first_requested_at: time.describe('Of these transfers.'),
    last_requested_at: time,
  })
  .meta({ id: 'Address' });
export type AddressView = Described<typeof addressView>;

const seconds = z.number().nullable().describe('Null: no hold has ended.');
export const statisticsView = z
  .strictObject({
    since: time,
    until: time,
    days: z.array(
      z.strictObject({
        day: z.iso.date().describe('UTC.'),
        ...totals,
        allow: count.describe('Of the count, by latest revision.'),
        review: count,
        block: count,
        undecided: count,
      }),
    ),
    actions: z.array(z.strictObject({ action, ...totals })),
    levels: z.array(z.strictObject({ level, ...totals })),
    rules: z.array(z.strictObject({ rule: z.string().nullable().describe('null: no rule made a revision.'), ...totals })),
    coins: z.array(z.strictObject({ coin: z.string(), ...totals })),
    holds: z
      .strictObject({
        ended: count.describe('Held, then allowed or blocked.'),
        open: count.describe('Of these screenings, held until now.'),
        median_seconds: seconds,
        p95_seconds: seconds,
        longest_seconds: seconds,
      })
      .describe(
        'Of the screenings requested in this time. From the first decision that held to the first one after it that did not; each length is right to a fifth.',
      ),
    held_by: z.array(
      z.strictObject({
        rule: z.string().nullable().describe("null: the policy's table."),
        held: count,
        decided: count.describe('Of these, people allowed or blocked.'),
        allowed: count,
        false_positive_rate: z.number().nullable().describe('allowed / decided; null: people decided none.'),
      }),
    ),
  })
  .meta({ id: 'Statistics' });
export type StatisticsView = Described<typeof statisticsView>;
