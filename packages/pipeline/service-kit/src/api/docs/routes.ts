import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { type Context, Hono } from 'hono';
import type { Json } from '../schemas.ts';
import { pageHeaders } from '../page-headers.ts';
import { type Page, pageOf } from './page.ts';

const files: Readonly<Record<string, { url: URL; type: string }>> = {
  '/docs/swagger-ui.css': { url: new URL(import.meta.resolve('swagger-ui-dist/swagger-ui.css')), type: 'text/css; charset=utf-8' },
  '/docs/swagger-ui-bundle.js': {
    url: new URL(import.meta.resolve('swagger-ui-dist/swagger-ui-bundle.js')),
    type: 'text/javascript; charset=utf-8',
  },
  '/docs/page.css': { url: new URL('page.css', import.meta.url), type: 'text/css; charset=utf-8' },
  '/docs/start.js': { url: new URL('start.js', import.meta.url), type: 'text/javascript; charset=utf-8' },
};

export const docsPaths: readonly string[] = ['/docs', '/openapi.json', ...Object.keys(files)];

/** `/openapi.json` and `/docs`, without a token. The description is generated at its first request. */
export function docsRoutes({ describe, page }: { describe: () => Json; page: () => Page }): Hono {
  const app = new Hono();
  let description: string | undefined;
  app.get('/openapi.json', (c) => {
    description ??= JSON.stringify(describe());
    return c.body(description, 200, { 'content-type': 'application/json' });
  });
  app.get('/docs', (c) => c.html(pageOf(page()), 200, pageHeaders()));
  for (const [path, { url, type }] of Object.entries(files)) app.get(path, (c) => sendFile(c, fileURLToPath(url), type));
  return app;
}

/** Streamed, so that no large file is held in memory. */
async function sendFile(c: Context, path: string, type: string): Promise<Response> {
  const { size } = await stat(path);
  const headers = {
    'content-type': type,
    'content-length': String(size),
    'cache-control': 'public, max-age=3600',
    'x-content-type-options': 'nosniff',
  };
  if (c.req.raw.method === 'HEAD') return c.body(null, 200, headers);
  return c.body(Readable.toWeb(createReadStream(path)) as ReadableStream, 200, headers);
}
