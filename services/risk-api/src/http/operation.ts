import type { Queryable } from '@weir/postgres';
import type { Context } from 'hono';
import type { z } from 'zod';
import { Failure, type FailureCode } from '../failure.ts';
import { admit, type Ticket, ticketOf } from '../keys/admission.ts';
import { type Surface, surfaces } from '../keys/keys.ts';
import type { Origin } from './origin.ts';
import { type Parameters, parse, readBody, readKey, readQuery } from './parameters.ts';

/** Every surface that can be served; a key belongs to one of the first two, calls on the last are paid for. */
export const servedSurfaces = [...surfaces, 'x402'] as const;
export type ServedSurface = (typeof servedSurfaces)[number];

/** What `/openapi.json` and `/docs` say of a call, and nothing that carries it out. */
export interface Description {
  /** For metrics, logs, and as the operation's id. */
  readonly name: string;
  readonly surface: ServedSurface;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  /** Whether it takes a key. */
  readonly keyed: boolean;
  /** Of the query of a GET, of the body of a POST; the key is not among them. */
  readonly request: z.ZodObject;
  readonly answer: z.ZodType;
  readonly example: { readonly request: Readonly<Record<string, string | number>>; readonly answer: unknown };
  /** The refusals that are this call's own; those of the key and of the server come with every call. */
  readonly refusals: readonly FailureCode[];
}

/** What a call is carried out with. */
export interface Call {
  readonly keyHash: Buffer;
  readonly origin: Origin;
  /** Aborted when the caller has gone. */
  readonly signal: AbortSignal;
  /** The caller wants no result that is kept: `Cache-Control: no-cache`. */
  readonly noCache: boolean;
}

/** One call that takes a key. */
export interface Operation extends Description {
  readonly surface: Surface;
  /** Whether it takes from the key's limits. */
  readonly counted: boolean;
  readonly answerTo: (parameters: Parameters, ticket: Ticket, db: Queryable, circumstances: Omit<Call, 'keyHash'>) => Promise<object>;
}

interface Definition<Request extends z.ZodObject, Answer extends z.ZodType, Asked, Found> extends Omit<Description, 'keyed'> {
  readonly surface: Surface;
  readonly request: Request;
  readonly answer: Answer;
  readonly counted: boolean;
  /** What the parameters ask for. Pure; fails with a `Failure`, which is told when the key is good. */
  readonly read: (request: z.output<Request>) => Asked;
  /** Admits the key and finds something in the same round trip. Left out: the key alone is admitted. */
  readonly find?: (db: Queryable, ticket: Ticket, asked: Asked) => Promise<Found | undefined>;
  readonly run: (asked: Asked, call: Call, found: Found | undefined) => Promise<z.output<Answer> & object>;
}

/** An operation whose types agree: the request's schema makes what `read` takes, and `run` returns what the answer's schema says. */
export function operation<Request extends z.ZodObject, Answer extends z.ZodType, Asked, Found = never>(
  definition: Definition<Request, Answer, Asked, Found>,
): Operation {
  const { request, read, find, run, ...description } = definition;
  return {
    ...description,
    keyed: true,
    request,
    answerTo: async (parameters, ticket, db, circumstances) => {
      let asked: Asked;
      try {
        asked = read(parse(request, parameters));
      } catch (failure) {
        await admit(db, ticket);
        throw failure;
      }
      const found = find === undefined ? await admit(db, ticket).then(() => undefined) : await find(db, ticket, asked);
      return run(asked, { keyHash: ticket.keyHash, ...circumstances }, found);
    },
  };
}

/**
 * The order of checks: what is not readable at all (413, 415), the key, its limits, the parameters. A body that is no JSON object
 * can hold no key: with a key in the header it is checked and counted like any call, without one it is `InvalidParameter`.
 */
export async function perform(c: Context, db: Queryable, own: Operation, origin: Origin): Promise<Response> {
  const parameters = own.method === 'GET' ? readQuery(c) : await readBody(c);
  const key = readKey(c, parameters);
  if (parameters === undefined && key === undefined) throw new Failure('InvalidParameter');
  const ticket = ticketOf(key, own.surface, own.counted);
  if (parameters === undefined) {
    await admit(db, ticket);
    throw new Failure('InvalidParameter');
  }
  return c.json(await own.answerTo(parameters, ticket, db, { origin, signal: c.req.raw.signal, noCache: wantsNoCache(c) }));
}

function wantsNoCache(c: Context): boolean {
  return /(^|,)\s*no-cache\s*(,|$)/i.test(c.req.header('cache-control') ?? '');
}
