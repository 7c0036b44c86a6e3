import { z } from 'zod';
import { time } from '../parameters.ts';

/** Characters of a reason or a note. */
const maxTextLength = 4_000;
export const maxNameLength = 200;

export const text = z
  .string()
  .refine((value) => value.isWellFormed() && !/[^\P{Cc}\n\t\r]/u.test(value), 'contains an invalid character')
  .transform((value) => value.trim())
  .refine((value) => value !== '', 'must say something')
  .refine((value) => value.length <= maxTextLength, `may have ${maxTextLength} characters`);
export const name = text.refine(
  (value) => value.length <= maxNameLength && !/\p{Cc}/u.test(value),
  `is one line of at most ${maxNameLength} characters`,
);
const revision = z.int().min(1).max(2_147_483_647).optional();

/** Rejects unknown fields, so that a misspelt `revision` cannot be ignored. */
export const bodies = {
  resolution: z.strictObject({ action: z.enum(['allow', 'block']), reason: text, revision }),
  approval: z.strictObject({ resolution_id: z.guid().transform((id) => id.toLowerCase()), approve: z.boolean(), reason: text.nullish() }),
  reopening: z.strictObject({ reason: text, revision }),
  note: z.strictObject({ text }),
  assignee: z.strictObject({
    assignee: name.refine((value) => value !== 'none', 'none is reserved: give null for no assignee').nullable(),
  }),
  due: z.strictObject({ due_at: time.nullable() }),
} as const;
