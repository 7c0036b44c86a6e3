import { terminalKinds, traceMethods } from '@weir/risk-engine';
import { z } from 'zod';

const named = <const Name extends string>(list: Name) =>
  z.strictObject({ count: z.int().min(0), [`${list}_list`]: z.array(z.string()) } as { count: z.ZodInt } & Record<
    `${Name}_list`,
    z.ZodArray<z.ZodString>
  >);
const profile = {
  first_address: z.string().meta({ description: 'Who funded the address first: its label, or the address; empty: not known.' }),
  use_platform: z.strictObject({ exchange: named('exchange'), dex: named('dex'), mixer: named('mixer'), nft: named('nft') }),
  malicious_event: z.strictObject({
    phishing: named('phishing'),
    ransom: named('ransom'),
    stealing: named('stealing'),
    laundering: named('laundering'),
  }),
  relation_info: z.strictObject({ wallet: named('wallet'), ens: named('ens'), twitter: named('twitter') }),
};

const value = z.number().min(0);
const amongMethods = <Value extends z.ZodType>(of: Value) =>
  z.strictObject({ haircut: of.exactOptional(), fifo: of.exactOptional(), poison: of.exactOptional() });
const byMethod = amongMethods(value);

const hop = z.strictObject({
  txid: z.string(),
  time: z.iso.datetime().meta({ description: 'UTC.' }),
  coin: z.string(),
  amount: z.string().nullable().meta({ description: 'In the coin, as decimal text; null: not known.' }),
  usd: value.nullable().meta({ description: 'At the time of the transfer; null: not known.' }),
  traced: value.meta({ description: 'The traced money in it, in the unit, by the method of the path.' }),
  from: z.string(),
  to: z.string(),
  coin_join: z.literal(true).optional().meta({ description: 'Strangers signed it, and nobody knows whose money is whose.' }),
});

const terminal = z.strictObject({
  kind: z.enum(terminalKinds).meta({
    description:
      'service: labelled, and its customers share its money. risk: an address with a risk label of another kind than that of the target. hub: without a label, with more transfers than are read. subject: the target itself. held (forward): the money is still there. unexplained (backward): no known transfer brought it.',
  }),
  entity: z.string().meta({ description: 'Of the label; empty without one.' }),
  category: z.string().meta({ description: 'Of the label; empty without one.' }),
  address: z.string().meta({ description: 'The one at the end of the path.' }),
  addresses: z.int().min(1).meta({ description: 'Of the entity, that the trail reached.' }),
  value: byMethod.meta({ description: 'Traced money that ends (forward) or begins (backward) here, by method.' }),
  hops: z.int().min(1).meta({ description: 'Transfers of the path.' }),
  method: z.enum(traceMethods).meta({ description: 'The method by which the path is the main one.' }),
  path_value: value.meta({ description: 'What went on this path alone.' }),
  path: z.array(hop).meta({ description: 'In the order of time. Of more than 20 transfers the first and the last ten.' }),
});

const moneyTrace = z
  .strictObject({
    direction: z.enum(['forward', 'backward']),
    unit: z.string().meta({ description: 'Of all values: USD, at the time of each transfer, or the symbol of a coin.' }),
    value: value.meta({ description: 'What the target sent (forward) or received (backward) in the time asked for.' }),
    transfers: z.int().min(0),
    unvalued_transfers: z.int().min(0).meta({ description: 'Without a known value in the unit; not followed, and not in value.' }),
    unlisted_transfers: z.int().min(0).meta({ description: 'More than are read; not followed, and not in value.' }),
    read: z.strictObject({ addresses: z.int().min(0), transfers: z.int().min(0) }),
    terminals: z.array(terminal).meta({
      description: 'Most money first, at most 100. By haircut and by FIFO they add up to value, with others and not_followed.',
    }),
    others: z.strictObject({ terminals: z.int().min(0), value: byMethod }).meta({ description: 'Terminals beyond those listed.' }),
    not_followed: z
      .strictObject({ addresses: z.int().min(0), value: byMethod })
      .meta({ description: 'Behind these addresses the budget of reading ended.' }),
    bound: amongMethods(z.number().min(0).max(1)).meta({
      description:
        'Part of value, 0 to 1, behind hubs and in not_followed: a terminal has at most so much more. None for poison, which counts money more than once.',
    }),
  })
  .meta({ description: 'Extension: where the money of the target went, or where it came from.' });

export const trace = z.strictObject({ ...profile, trace: moneyTrace });
