import { z } from 'zod';
import { time } from '../parameters.ts';
import { name, text } from '../texts.ts';

const revision = z.int().min(1).max(2_147_483_647).optional();

/** Rejects unknown fields, so that a misspelt `revision` cannot be ignored. */
export const bodies = {
  resolution: z.strictObject({ action: z.enum(['allow', 'block']), reason: text, revision }),
  approval: z.strictObject({ resolution_id: z.guid().transform((id) => id.toLowerCase()), approve: z.boolean(), reason: text.nullish() }),
  reopening: z.strictObject({ reason: text, revision }),
  note: z.strictObject({ text }),
  assignee: z.strictObject({
    assignee: name.refine((value) => value !== 'none', 'none is reserved: give null for no assignee').nullable(),
    expected_assignee: name.nullable().optional().meta({ description: 'Who has it as far as the caller knows. Left out: whoever it is.' }),
  }),
  due: z.strictObject({ due_at: time.nullable() }),
} as const;
