import type { Described } from '@weir/service-kit';
import { z } from 'zod';

export const lists = z.enum(['reviews', 'screenings', 'cases']);

/** Fields of filters that name no customer, address or transaction: a saved view outlives the erasure of one. */
const fields = z.enum([
  'state',
  'outcome',
  'escalated',
  'action',
  'kind',
  'level',
  'min_usd',
  'max_usd',
  'chain',
  'coin',
  'rule',
  'reason',
  'assignee',
  'due',
  'sort',
]);

export const filterSchema = z
  .partialRecord(fields, z.string().min(1).max(200))
  .describe('Parameters of the list, without those that name a customer, an address or a transaction, and without times.');

export const savedView = z.strictObject({ list: lists, name: z.string(), filter: filterSchema }).meta({ id: 'SavedView' });
export type SavedView = Described<typeof savedView>;

export const exampleSavedView: SavedView = { list: 'reviews', name: 'Large, mine', filter: { assignee: 'Reviewer', min_usd: '10000' } };
