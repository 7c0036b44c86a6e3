import { listFilters } from '@weir/contracts/list-filters';
import type { Described } from '@weir/service-kit';
import { z } from 'zod';
import { subjectLength } from '../migrations.ts';

export const lists = z.enum(['reviews', 'screenings', 'cases']);

const fields = z.enum([...new Set(Object.values(listFilters).flat())]);

/** No stored text has control characters, and PostgreSQL rejects NUL. */
const value = z
  .string()
  .min(1)
  .max(subjectLength)
  .refine((text) => text.isWellFormed() && !/\p{Cc}/u.test(text), 'must be a text without control characters');

export const filterSchema = z.partialRecord(fields, value).describe('Parameters of the list.');

export const savedView = z.strictObject({ list: lists, name: z.string(), filter: filterSchema }).meta({ id: 'SavedView' });
export type SavedView = Described<typeof savedView>;

export const exampleSavedView: SavedView = { list: 'reviews', name: 'Large, mine', filter: { assignee: 'Reviewer', min_usd: '10000' } };
