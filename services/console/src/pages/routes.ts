import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { pageHeaders, problem } from '@weir/service-kit';
import { type Context, Hono } from 'hono';
import { accepts } from 'hono/accepts';

const built = fileURLToPath(new URL('../../web/dist', import.meta.url));

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

interface PagesOptions {
  /** Read at the start. */
  readonly folder?: string;
  /** Signing in at an OIDC provider. */
  readonly provider?: Hono | undefined;
  /** Operations of other services that the pages call. */
  readonly forwarded?: Hono;
}

/**
 * The web console: one page for `/` and all below `/app/`, and its files below `/assets/`, whose names contain a hash of their content.
 * 503 if it was not built.
 */
export function consolePages({ folder = built, provider, forwarded }: PagesOptions = {}): Hono {
  const app = new Hono();
  if (provider !== undefined) app.route('/', provider);
  if (forwarded !== undefined) app.route('/', forwarded);
  const index = join(folder, 'index.html');
  if (!existsSync(index)) {
    for (const path of ['/', '/app/*']) app.get(path, (c) => problem(c, 503, 'NOT_BUILT', 'the pages are not built: run npm run build'));
    return app;
  }
  const page = readFileSync(index, 'utf8').replace('SIGN_IN', provider === undefined ? 'token' : 'provider');
  for (const path of ['/', '/app/*']) app.get(path, (c) => answerPage(c, page));
  const assets = new Map(readdirSync(join(folder, 'assets')).map((name) => [name, new Asset(readFileSync(join(folder, 'assets', name)))]));
  app.get('/assets/:name', (c) => asset(c, assets));
  return app;
}

function answerPage(c: Context, page: string): Response {
  const nonce = randomBytes(16).toString('base64url');
  return c.html(page.replace('NONCE', nonce), 200, { ...pageHeaders(nonce), 'cache-control': 'no-store' });
}

class Asset {
  readonly plain: Uint8Array<ArrayBuffer>;
  #gzipped: Uint8Array<ArrayBuffer> | undefined;

  constructor(plain: Uint8Array<ArrayBuffer>) {
    this.plain = plain;
  }

  /** Made at the first request: a start does not wait for it. */
  get gzipped(): Uint8Array<ArrayBuffer> {
    return (this.#gzipped ??= gzipSync(this.plain));
  }
}

function asset(c: Context, assets: ReadonlyMap<string, Asset>): Response {
  const name = c.req.param('name') ?? '';
  const found = assets.get(name);
  if (found === undefined) return problem(c, 404, 'NOT_FOUND', `there is no ${c.req.method} ${c.req.path}`);
  const type = types[extname(name)] ?? 'application/octet-stream';
  const isGzipped = accepts(c, { header: 'Accept-Encoding', supports: ['gzip', 'identity'], default: 'identity' }) === 'gzip';
  return c.body(isGzipped ? found.gzipped : found.plain, 200, {
    'content-type': type,
    ...(isGzipped && { 'content-encoding': 'gzip' }),
    vary: 'Accept-Encoding',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': 'public, max-age=31536000, immutable',
  });
}
