import { chains } from '@weir/chains';
import { z } from 'zod';
import { subjectLength } from './migrations.ts';
import { time } from './parameters.ts';

const notUsd = 'must be a decimal number, such as 1000 or 0.5';
const usdText = z.string().regex(/^[0-9]{1,30}(\.[0-9]{1,18})?$/, notUsd);

/** No stored text has control characters, and PostgreSQL rejects NUL. */
function text(what: string): z.ZodString {
  return z
    .string()
    .max(subjectLength, `must be ${what}`)
    .refine((value) => value.isWellFormed() && !/\p{Cc}/u.test(value), `must be ${what}`);
}

interface Ranges {
  /** A text, if it is no time. */
  readonly since?: Date | string | undefined;
  readonly until?: Date | string | undefined;
  readonly min_usd?: string | undefined;
  readonly max_usd?: string | undefined;
}

/** Nothing is in a range whose ends are the wrong way round. An end that is none has its own problem. Refine a schema of `filterParameters` with them. */
export const areTimesInOrder = ({ since, until }: Ranges): boolean => !(since instanceof Date && until instanceof Date && since > until);
export const notInTime = { path: ['since'], error: 'must not be after until' };
export const areValuesInOrder = ({ min_usd: least, max_usd: most }: Ranges): boolean =>
  least === undefined || most === undefined || !(Number(least) > Number(most));
export const notInValue = { path: ['min_usd'], error: 'must not be above max_usd' };

/** Of every list of screenings or reviews. */
export const filterParameters = {
  kind: z.enum(['deposit', 'withdrawal']).optional(),
  action: z.enum(['block', 'review', 'allow']).optional().meta({ description: 'Of the latest revision.' }),
  level: z.enum(['Low', 'Moderate', 'High', 'Severe']).optional().meta({ description: 'Of the latest result.' }),
  subject: text('an address or a transaction id').optional().meta({ description: 'The address or transaction that was scored.' }),
  address: text('an address').optional().meta({ description: 'Either side of the transfer, in any form of its chain.' }),
  user_id: text('the id of a user').optional(),
  source_id: text('the id of a deposit or a withdrawal').optional().meta({ description: 'The deposit_id or withdrawal_id.' }),
  txid: text('a transaction id').optional(),
  chain: z.enum(chains).optional(),
  coin: text('a coin').optional(),
  rule: text('the name of a rule').optional().meta({ description: "The policy's rule that last made a revision." }),
  reason: text('a reason code').optional().meta({ description: 'A reason code of the latest revision.' }),
  since: time.optional().meta({ description: 'Requested at this time (RFC 3339) or later.' }),
  until: time.optional().meta({ description: 'Requested before this time (RFC 3339).' }),
  min_usd: usdText.optional().meta({ description: 'The declared value is at least this. A transfer of unknown value is left out.' }),
  max_usd: usdText.optional().meta({ description: 'The declared value is at most this. A transfer of unknown value is left out.' }),
};
