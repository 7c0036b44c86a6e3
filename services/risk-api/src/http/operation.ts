import type { Queryable } from '@weir/postgres';
import type { Context } from 'hono';
import type { z } from 'zod';
import { Failure, type FailureCode } from '../failure.ts';
import { admit, type Ticket, ticketOf } from '../keys/admission.ts';
import type { KeySurface } from '../keys/keys.ts';
import type { Origin } from './origin.ts';
import { type Parameters, parse, readBody, readKey, readQuery } from './parameters.ts';

/** Every surface. A key belongs to one of the first two; calls on the last are paid. */
export type ServedSurface = KeySurface | 'x402';

export interface Description {
  /** For metrics, logs, and as operationId. */
  readonly name: string;
  /** Its tag. Reports are served beside every surface. */
  readonly surface: ServedSurface | 'reports';
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  readonly keyed: boolean;
  /** Parameters of the query or of the body, without the key. */
  readonly request: z.ZodObject;
  readonly answer: z.ZodType;
  /** Media type of the answer; default: `application/json`. */
  readonly type?: string;
  readonly example: { readonly request: Readonly<Record<string, string | number>>; readonly answer: unknown };
  /** The call's own refusals; those of the key and of the server apply to every call. */
  readonly refusals: readonly FailureCode[];
}

export interface Call {
  readonly keyHash: Buffer;
  readonly origin: Origin;
  readonly signal: AbortSignal;
  /** `Cache-Control: no-cache`: the caller refuses a cached result. */
  readonly noCache: boolean;
}

export interface Operation extends Description {
  readonly surface: KeySurface;
  readonly counted: boolean;
  readonly answerTo: (parameters: Parameters, ticket: Ticket, db: Queryable, circumstances: Omit<Call, 'keyHash'>) => Promise<object>;
}

interface Definition<Request extends z.ZodObject, Answer extends z.ZodType, Asked, Found> extends Omit<Description, 'keyed'> {
  readonly surface: KeySurface;
  readonly request: Request;
  readonly answer: Answer;
  readonly counted: boolean;
  /** Parses the parameters. Pure; fails with a `Failure`, which a caller with a valid key sees. */
  readonly read: (request: z.output<Request>) => Asked;
  /** Left out: only admits the key. */
  readonly find?: (db: Queryable, ticket: Ticket, asked: Asked) => Promise<Found | undefined>;
  readonly run: (asked: Asked, call: Call, found: Found | undefined) => Promise<z.output<Answer> & object>;
}

/** Ties the types together: `read` takes the output of the request's schema, `run` returns the answer's. */
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
 * Order of the checks: unreadable requests (413, 415), the key, its limits, the parameters. It is unknown whether a body that is not a JSON
 * object holds a key: without one in the header it is `InvalidParameter`.
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
