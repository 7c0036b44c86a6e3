import { findCoin, parseAddress, parseTxid } from '@weir/chains';
import type { Context } from 'hono';
import { z } from 'zod';
import { Failure } from '../failure.ts';
import type { Subject } from '../tasks/subject.ts';

export type Parameters = Readonly<Record<string, unknown>>;

/** Of a GET: the query. A name that is repeated has an array, which no parameter may be. */
export function readQuery(c: Context): Parameters {
  return Object.fromEntries(Object.entries(c.req.queries()).map(([name, values]) => [name, values.length === 1 ? values[0] : values]));
}

/**
 * Of a POST: the JSON body; undefined when it is not a JSON object. Fails with `UnsupportedMediaType` when it does not claim to be JSON.
 */
export async function readBody(c: Context): Promise<Parameters | undefined> {
  const type = (c.req.header('content-type') ?? '').split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json') throw new Failure('UnsupportedMediaType');
  const text = await c.req.text();
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null && !Array.isArray(body) ? (body as Parameters) : undefined;
  } catch {
    return undefined;
  }
}

/** Absent, null and empty are the same. */
const text = z
  .string()
  .max(512)
  // What no database can hold is no address, no coin and no task.
  .refine((value) => !value.includes('\0') && value.isWellFormed(), 'not storable')
  .nullish()
  .transform((value) => (value === null || value === '' ? undefined : value));

const targetShape = z.object({
  coin: text,
  address: text,
  txid: text,
  direction: text.pipe(z.enum(['deposit', 'withdraw']).default('deposit')),
});

export type Target = z.infer<typeof targetShape> & { readonly coin: string };

const taskShape = z.object({ task_id: text });

/** Coin, one of address and txid, direction. Fails with `InvalidParameter`, and with `InvalidAddress` when neither is given. */
export function parseTarget(parameters: Parameters): Target {
  const parsed = targetShape.safeParse(parameters);
  if (!parsed.success) throw new Failure('InvalidParameter');
  const { coin, address, txid } = parsed.data;
  if (coin === undefined) throw new Failure('InvalidParameter');
  if (address !== undefined && txid !== undefined) throw new Failure('InvalidParameter');
  return { ...parsed.data, coin };
}

export function requireSubjectText({ address, txid }: Target): void {
  if (address === undefined && txid === undefined) throw new Failure('InvalidAddress');
}

/** The subject of a standard call. Fails with `UnsupportedToken`, `InvalidAddress`, `InvalidParameter`. */
export function parseSubject(parameters: Parameters): Subject {
  const target = parseTarget(parameters);
  const coin = findCoin(target.coin);
  if (coin === undefined) throw new Failure('UnsupportedToken');
  requireSubjectText(target);
  const { chain } = coin;
  if (target.address !== undefined) {
    const value = parseAddress(chain, target.address);
    if (value === undefined) throw new Failure('InvalidAddress');
    return { chain, kind: 'address', value, direction: 'deposit' };
  }
  const value = parseTxid(chain, target.txid ?? '');
  if (value === undefined) throw new Failure('InvalidParameter');
  return { chain, kind: 'txid', value, direction: target.direction };
}

export function parseTaskId(parameters: Parameters): string {
  const parsed = taskShape.safeParse(parameters);
  if (!parsed.success || parsed.data.task_id === undefined) throw new Failure('InvalidParameter');
  return parsed.data.task_id;
}

/**
 * The key, from the header or where the specification has it. Two that differ are none: which one is meant cannot be known.
 */
export function readKey(c: Context, parameters: Parameters | undefined): string | undefined {
  const header = c.req.header('x-api-key') || undefined;
  const given = parameters?.['api_key'];
  if (given === undefined || given === null || given === '') return header;
  if (typeof given !== 'string' || (header !== undefined && header !== given)) return undefined;
  return given;
}
