import type { Queryable } from '@weir/postgres';
import type { Context, Hono } from 'hono';
import type { Page } from './description/openapi.ts';
import { type Operation, perform, type ServedSurface } from './operation.ts';
import type { Origin } from './origin.ts';

/** Calls and pages that are served together or not at all. */
export interface Surface {
  readonly name: ServedSurface;
  readonly operations: readonly Page[];
  /** Further pages of the description. The variable segment of a path is a secret, and is not logged. */
  readonly pages: readonly Page[];
  /** Paths that anybody may read. */
  readonly openPaths: readonly string[];
  /** Adds middleware that precedes OPTIONS and the limit on bodies. */
  readonly use?: (app: Hono) => void;
  readonly routes: (app: Hono, originOf: (c: Context) => Origin) => void;
}

/** The surface of calls that take a key. */
export function keyedSurface(name: ServedSurface, operations: readonly Operation[], db: Queryable): Surface {
  return {
    name,
    operations,
    pages: [],
    openPaths: [],
    routes: (app, originOf) => {
      for (const own of operations) app.on(own.method, own.path, (c) => perform(c, db, own, originOf(c)));
    },
  };
}
