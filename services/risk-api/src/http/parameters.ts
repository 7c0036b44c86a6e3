import { type Chain, type Coin, parseAddress, parseTxid, readCoin } from '@weir/chains';
import type { Context } from 'hono';
import type { z } from 'zod';
import { Failure } from '../failure.ts';
import type { Subject } from '../subject.ts';
import { isOtherForm } from './address-forms.ts';
import type { directedTarget } from './schemas/requests.ts';

export type Parameters = Readonly<Record<string, unknown>>;

/** The query of a GET. A repeated name becomes an array, which no parameter accepts. */
export function readQuery(c: Context): Parameters {
  return Object.fromEntries(Object.entries(c.req.queries()).map(([name, values]) => [name, values.length === 1 ? values[0] : values]));
}

/**
 * The JSON body of a POST. Without one there are no parameters; undefined when it is not a JSON object. Fails with `UnsupportedMediaType` for
 * another content type.
 */
export async function readBody(c: Context): Promise<Parameters | undefined> {
  const type = (c.req.header('content-type') ?? '').split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json') throw new Failure('UnsupportedMediaType');
  const text = await c.req.text();
  if (text === '') return {};
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null && !Array.isArray(body) ? (body as Parameters) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Validates the parameters. Absent, null and empty are equal. Fails with `InvalidParameter`, or with `InvalidAddress` when only a required
 * address is missing.
 */
export function parse<Schema extends z.ZodType>(schema: Schema, parameters: Parameters): z.output<Schema> {
  const given = Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== null && value !== ''));
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const isMissing = parsed.error.issues.every(({ path }) => path[0] === 'address') && given['address'] === undefined;
  throw new Failure(isMissing ? 'InvalidAddress' : 'InvalidParameter');
}

type Target = z.output<typeof directedTarget>;

/** Fails with `InvalidParameter` for both of address and txid, and with `InvalidAddress` for neither. */
export function requireOne({ address, txid }: Pick<Target, 'address' | 'txid'>): void {
  if (address !== undefined && txid !== undefined) throw new Failure('InvalidParameter');
  if (address === undefined && txid === undefined) throw new Failure('InvalidAddress');
}

/** Fails with `UnsupportedToken`. */
export function coinOf(symbol: string): Coin {
  const coin = readCoin(symbol);
  if (coin === undefined) throw new Failure('UnsupportedToken');
  return coin;
}

/** Normalised. Fails with `InvalidAddress`, `UnsupportedAddressType`. */
export function addressOn(chain: Chain, text: string): string {
  const address = parseAddress(chain, text);
  if (address === undefined) throw new Failure(isOtherForm(chain, text) ? 'UnsupportedAddressType' : 'InvalidAddress');
  return address;
}

/** Fails with `InvalidParameter`, `UnsupportedToken`, `InvalidAddress`, `UnsupportedAddressType`. */
export function subjectOf(target: Omit<Target, 'direction'> & Partial<Pick<Target, 'direction'>>): Subject {
  if (target.address !== undefined && target.txid !== undefined) throw new Failure('InvalidParameter');
  const { chain } = coinOf(target.coin);
  requireOne(target);
  if (target.address !== undefined) {
    return { chain, kind: 'address', value: addressOn(chain, target.address), direction: 'deposit' };
  }
  const value = parseTxid(chain, target.txid ?? '');
  if (value === undefined) throw new Failure('InvalidParameter');
  return { chain, kind: 'txid', value, direction: target.direction ?? 'deposit' };
}

/** The key, from the header or from the specification's parameter. Undefined when the two differ. */
export function readKey(c: Context, parameters: Parameters | undefined): string | undefined {
  const header = c.req.header('x-api-key') || undefined;
  const given = parameters?.['api_key'];
  if (given === undefined || given === null || given === '') return header;
  if (typeof given !== 'string' || (header !== undefined && header !== given)) return undefined;
  return given;
}
