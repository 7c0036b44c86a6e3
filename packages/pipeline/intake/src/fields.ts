import { amountPattern } from '@weir/chains';
import { isRecordTime, type Kind } from '@weir/contracts';
import { z } from 'zod';

const maxIdLength = 128;
const maxSymbolLength = 32;
const maxTextLength = 256;
const maxMemoLength = 1_024;

function text(most: number): z.ZodString {
  const message = `must be 1 to ${most} printable characters`;
  return z
    .string()
    .min(1, message)
    .max(most, message)
    .refine((value) => !/\p{Cc}/u.test(value) && value.isWellFormed(), message);
}

const notDecimal = 'must be a decimal string such as "1.5"';
const decimal = z.string({ error: ({ input }) => (input === undefined ? undefined : notDecimal) }).regex(amountPattern, notDecimal);

const optional = (schema: z.ZodString) => schema.nullable().default(null);

const shared = {
  chain: optional(text(maxSymbolLength)).meta({ description: 'Left out: the coin gives it.' }),
  coin: text(maxSymbolLength).meta({
    description: 'Symbol of a coin; it names the chain. In any case; with other names of its chain, too (USDT-TRON).',
  }),
  to_address: text(maxTextLength).meta({ description: 'The receiver, on the chain of the coin.' }),
  amount: decimal.meta({ description: 'In whole coins.' }),
  usd_value: optional(decimal).meta({ description: 'The declared value. Left out or null: unknown.' }),
  // Wider than any chain's own form: a deposit's comment is as its sender wrote it.
  memo: optional(
    z
      .string()
      .max(maxMemoLength)
      .refine((value) => !value.includes('\0') && value.isWellFormed(), 'must be text without NUL'),
  ).meta({
    description: 'Destination tag, memo or comment beside the address, where the chain has one. Empty or left out: none.',
  }),
  user_id: optional(text(maxTextLength)).meta({ description: 'Your customer, opaque to Weir.' }),
};

/** The fields of a deposit, over HTTP and in its topic. */
const depositFields = {
  deposit_id: text(maxIdLength).meta({ description: 'Your id of the deposit.' }),
  ...shared,
  txid: optional(text(maxTextLength)).meta({ description: 'The transaction. Either this or from_address is required.' }),
  from_address: optional(text(maxTextLength)).meta({ description: 'The sender. Either this or txid is required.' }),
};

/** The fields of a withdrawal, over HTTP and in its topic. */
const withdrawalFields = {
  withdrawal_id: text(maxIdLength).meta({ description: 'Your id of the withdrawal.' }),
  ...shared,
};

const callerTime = z.iso
  .datetime({ offset: true })
  // Text that is no time has its own words.
  .refine((value) => Number.isNaN(Date.parse(value)) || isRecordTime(Date.parse(value)), 'must be a time of the years 1 to 9999')
  .nullable()
  .default(null)
  .meta({ description: 'RFC 3339. Left out: now.' });
const recordTime = z.number().refine(isRecordTime, 'is not a time');

/** For zod's `refine`. It is checked even when other fields are invalid, so that a caller sees all problems at once. */
const hasSubject = ({ txid, from_address }: { txid?: unknown; from_address?: unknown }): boolean =>
  (txid ?? null) !== null || (from_address ?? null) !== null;
const noSubject = { path: ['txid'], message: 'or from_address is required', when: () => true };

/** Bodies reject unknown fields, so that a misspelt `usd_value` is not lost silently. */
export const depositBody = z.strictObject({ ...depositFields, detected_at: callerTime }).refine(hasSubject, noSubject);
export const withdrawalBody = z.strictObject({
  ...withdrawalFields,
  requested_at: callerTime,
});

/** Records of the topics. */
export const recordForms: Readonly<Record<Kind, z.ZodType>> = {
  deposit: z.object({ ...depositFields, detected_at: recordTime }).refine(hasSubject, noSubject),
  withdrawal: z.object({ ...withdrawalFields, requested_at: recordTime }),
};
