import { z } from 'zod';
import { decodeCursor } from './cursor.ts';

const defaultLimit = 50;
export const maxLimit = 200;

/** In lower case, as stored. */
export const uuid = z
  .string()
  .regex(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i)
  .transform((id) => id.toLowerCase());

/** Treats an empty parameter as absent. */
export const absent = (value: unknown): unknown => (value === '' ? undefined : value);

export const cursorParameter = z.preprocess(absent, z.string().transform(decodeCursor).optional());
export const limitParameter = z.preprocess(
  absent,
  z
    .string()
    .regex(/^[0-9]{1,9}$/)
    .transform(Number)
    .pipe(z.number().min(1))
    .default(defaultLimit),
);

export function definedOnly<T extends object>(filter: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined)) as never;
}
