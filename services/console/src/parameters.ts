import { isRecordTime } from '@weir/contracts';
import { z } from 'zod';
import { decodeCursor, decodeSortedCursor, notCursor } from './cursor.ts';
import { exampleScreeningId } from './examples.ts';

const defaultLimit = 50;
export const maxLimit = 200;

/** In lower case, as stored. */
export const uuid = z
  .string()
  .regex(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i)
  .transform((id) => id.toLowerCase());

/** For a body and for a parameter: RFC 3339. */
export const time = z.iso
  .datetime({ offset: true })
  // A text that is no time has its problem already.
  .refine((value) => Number.isNaN(Date.parse(value)) || isRecordTime(Date.parse(value)), 'is out of range')
  .transform((value) => new Date(value));

/** Numbers in a query are decimal text. */
const digits = (value: unknown): unknown => (typeof value === 'string' && /^[0-9]{1,9}$/.test(value) ? Number(value) : value);
const notLimit = `must be a whole number from 1; more than ${maxLimit} are not given at once`;

/** Of every list. */
export const pageParameters = {
  cursor: z
    .string()
    .transform(decodeCursor)
    .optional()
    .meta({ description: 'The next_cursor of an earlier answer. Left out: the first page.' }),
  limit: z.preprocess(digits, z.int({ error: notLimit }).min(1, notLimit).default(defaultLimit)).meta({
    description: `Items in the answer; more than ${maxLimit} are not given at once.`,
  }),
};

/** Of a list that is also sorted by value. */
export const sortedPageParameters = {
  ...pageParameters,
  cursor: z
    .string()
    .transform(decodeSortedCursor)
    .optional()
    .meta({ description: 'The next_cursor of an earlier answer of the same sort. Left out: the first page.' }),
};

type Sorted = z.output<z.ZodObject<typeof sortedPageParameters>> & { readonly sort: string };

/** For zod's `refine`. */
export const isCursorOfSort = ({ sort, cursor }: Sorted): boolean => cursor === undefined || (sort === 'value') === 'usd' in cursor;
export const notOfSort = { path: ['cursor'], error: `${notCursor} of the same sort` };

/** Variable segment of the paths of one screening. It is read as text, since an id that is none is 404. */
export const screeningSegment = z.object({ screening_id: z.string().meta({ description: 'UUID.', example: exampleScreeningId }) });

export function definedOnly<T extends object>(filter: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined)) as never;
}
