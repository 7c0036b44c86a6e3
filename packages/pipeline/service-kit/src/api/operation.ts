import type { Context, Hono, MiddlewareHandler } from 'hono';
import { z } from 'zod';
import { type Callers, requireRole } from '../access/guard.ts';
import type { Role } from '../access/roles.ts';
import { problem } from '../problem.ts';
import { type BodyDefinition, limitBody, readBody, readQuery } from './read-input.ts';

/** Who may call. No guard: everybody. */
export interface Admission {
  readonly roles: readonly Role[];
  readonly guard?: MiddlewareHandler;
}

export function admission(callers: Callers, roles: readonly Role[]): Admission {
  return { roles, guard: requireRole(callers, roles) };
}

export const everybody: Admission = { roles: [] };

/** A successful answer. */
export interface Answer {
  readonly status: number;
  readonly description: string;
  readonly schema: z.ZodType;
  readonly example: unknown;
  /** Left out: application/json. */
  readonly type?: string;
  /** Headers that callers need, with what they say. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A body in a format of its own. */
export interface RawBody {
  /** Media type. */
  readonly type: string;
  readonly example: string;
}

/** Problems by their code: status and meaning. */
export type Problems = Readonly<Record<string, readonly [status: number, meaning: string]>>;

/** One operation of an HTTP API: its description, the schemas that validate it, and its code. */
export interface Operation {
  /** As operationId. */
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** As in OpenAPI: `/v1/withdrawals/{withdrawal_id}`. */
  readonly path: string;
  /** The last variable segment may contain slashes. */
  readonly isTail?: boolean;
  readonly summary: string;
  readonly description?: string;
  /** Whether callers repeat it, so that its successes are no news. */
  readonly isPolled?: boolean;
  /** The service that performs it, where a process has several. */
  readonly service?: string;
  /** Groups the operations in the description. */
  readonly tag: string;
  readonly admission: Admission;
  /** Variable segments of the path. `respond` reads them. */
  readonly segments?: z.ZodObject;
  /** Optional headers. `respond` reads them. */
  readonly headers?: z.ZodObject;
  readonly query: z.ZodObject;
  readonly body: BodyDefinition | undefined;
  /** Instead of a JSON body: any bytes up to the same size. `respond` reads and validates them. */
  readonly rawBody?: RawBody;
  readonly answers: readonly Answer[];
  /** Its own problems; those of the caller, the input and the server follow from the rest. */
  readonly problems?: Problems;
  /** Unless it only reads: what a repeated request does. */
  readonly repeats?: string;
  readonly respond: (c: Context, given: { query: never; body: never }) => Promise<Response>;
}

interface Definition<Query extends z.ZodObject, Body extends z.ZodType> extends Omit<Operation, 'query' | 'body' | 'respond'> {
  /** Left out: the operation takes no parameters. */
  readonly query?: Query;
  readonly body?: BodyDefinition<Body>;
  readonly respond: (c: Context, given: { query: z.output<Query>; body: z.output<Body> }) => Promise<Response> | Response;
}

const noParameters = z.object({});
const guid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Ties the types together: `respond` takes the outputs of the schemas. */
export function operation<Query extends z.ZodObject = typeof noParameters, Body extends z.ZodType = z.ZodUndefined>(
  definition: Definition<Query, Body>,
): Operation {
  const { respond } = definition;
  return {
    ...definition,
    query: definition.query ?? noParameters,
    body: definition.body,
    respond: async (c, given) => respond(c, given),
  };
}

/** Serves the operations. A known path answers 405 to other methods, and 204 to OPTIONS, both with `Allow`. */
export function mount(app: Hono, operations: readonly Operation[]): void {
  for (const [path, own] of Map.groupBy(operations, (each) => each.path)) {
    const variables = path.replaceAll(/\{(\w+)\}/g, ':$1');
    const pattern = own[0]?.isTail === true ? `${variables}{.+}` : variables;
    for (const each of own) {
      app.on(each.method, pattern, (c, next) => {
        c.set('route', path);
        c.set('service', each.service);
        c.set('isPolled', each.isPolled === true);
        const screeningId = c.req.param('screening_id');
        if (screeningId !== undefined && guid.test(screeningId)) c.set('screeningId', screeningId);
        return next();
      });
      if (each.admission.guard !== undefined) app.on(each.method, pattern, each.admission.guard);
      if (each.body !== undefined || each.rawBody !== undefined) app.on(each.method, pattern, limitBody(each.body?.maxBytes));
      app.on(each.method, pattern, (c) => perform(c, each));
    }
    const methods = own.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
    const refuse = refuseMethod(path, methods);
    app.all(pattern, (c) => {
      c.set('route', path);
      return refuse(c);
    });
  }
}

/** Answers the methods that a path does not take. */
export function refuseMethod(path: string, methods: readonly string[]): (c: Context) => Response {
  return (c) => {
    c.header('allow', [...methods, 'OPTIONS'].join(', '));
    if (c.req.method === 'OPTIONS') return c.body(null, 204);
    return problem(c, 405, 'METHOD_NOT_ALLOWED', `${path} takes ${methods.join(' and ')}, not ${c.req.method}`);
  };
}

/** Order of the checks: the caller, the query, the body. */
async function perform(c: Context, { query, body, respond }: Operation): Promise<Response> {
  const asked = readQuery(c, query);
  if (asked instanceof Response) return asked;
  const given = body === undefined ? undefined : await readBody(c, body);
  if (given instanceof Response) return given;
  return respond(c, { query: asked as never, body: given as never });
}
