import { z } from 'zod';

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
