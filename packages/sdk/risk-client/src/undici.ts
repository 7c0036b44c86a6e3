import { pipeline, type Readable, type Transform } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { Agent, request } from 'undici';
import type { Fetch } from './types.ts';

/** As `fetch` has it: what was cut off gives the text so far, and the reader judges that. */
const lenient = { finishFlush: constants.Z_SYNC_FLUSH };
const decoders: ReadonlyMap<string, () => Transform> = new Map([
  ['gzip', () => createGunzip(lenient)],
  ['deflate', () => createInflate(lenient)],
  ['br', () => createBrotliDecompress()],
]);

/** A `fetch` for many small calls, at less than half the CPU of the built-in one. Keeps connections open, and follows no redirect. */
export function undiciFetch(): Fetch {
  const dispatcher = new Agent();
  return async (url, { method, headers, body: sent, signal }) => {
    const all = { 'accept-encoding': [...decoders.keys()].join(', '), ...headers };
    const { statusCode, headers: received, body } = await request(url, { method, headers: all, body: sent ?? null, signal, dispatcher });
    // An abort ends a body that nobody reads.
    body.on('error', () => undefined);
    const get = (name: string): string | null => textOf(received[name.toLowerCase()]);
    return { status: statusCode, headers: { get }, body: decoded(body, get('content-encoding')) };
  };
}

function textOf(value: string | string[] | undefined): string | null {
  return value === undefined ? null : String(value);
}

/** Encodings were applied in the order of the header. One that is not known leaves a body that cannot be read as JSON. */
function decoded(body: Readable, encodings: string | null): Readable {
  let stream = body;
  for (const encoding of (encodings ?? '').toLowerCase().split(',').toReversed()) {
    const decoder = decoders.get(encoding.trim().replace(/^x-/, ''))?.();
    // Its error ends the reading of the last stream.
    if (decoder !== undefined) stream = pipeline(stream, decoder, () => undefined);
  }
  return stream;
}
