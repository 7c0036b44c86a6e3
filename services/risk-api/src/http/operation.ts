import type { Queryable } from '@weir/postgres';
import type { Context } from 'hono';
import { Failure } from '../failure.ts';
import { admit } from '../keys/admission.ts';
import type { Surface } from '../keys/keys.ts';
import type { Envelope } from './envelope.ts';
import { type Parameters, readBody, readKey, readQuery } from './parameters.ts';

/** One call that takes a key. */
export interface Operation {
  /** For metrics, logs and `/docs`. */
  readonly name: string;
  readonly surface: Surface;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly summary: string;
  /** Whether it takes from the key's limits. */
  readonly counted: boolean;
  readonly run: (keyHash: Buffer, parameters: Parameters) => Promise<Envelope>;
}

/**
 * The order of checks: what is not readable at all (413, 415), the key, its limits, the parameters. A body that is no JSON object
 * can hold no key: with a key in the header it is checked and counted like any call, without one it is `InvalidParameter`.
 */
export async function perform(c: Context, db: Queryable, operation: Operation): Promise<Response> {
  const parameters = operation.method === 'GET' ? readQuery(c) : await readBody(c);
  const key = readKey(c, parameters);
  if (parameters === undefined && key === undefined) throw new Failure('InvalidParameter');
  const keyHash = await admit(db, key, operation.surface, operation.counted);
  if (parameters === undefined) throw new Failure('InvalidParameter');
  return c.json(await operation.run(keyHash, parameters));
}
