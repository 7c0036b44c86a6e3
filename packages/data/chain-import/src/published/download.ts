import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Clock, TimeLimitError, within } from '@weir/clock';
import { ListError } from './list-error.ts';

/** What the publisher said of the file that was fetched before. */
export interface Version {
  readonly etag: string | null;
  readonly last_modified: string | null;
}

export interface DownloadOptions {
  readonly url: string;
  /** The file to write. */
  readonly path: string;
  /** Undefined: the file is fetched whatever was fetched before. */
  readonly known: Version | undefined;
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
  /** For everything, in milliseconds. */
  readonly limitMs?: number;
  /** Of the unpacked file. */
  readonly largestBytes?: number;
}

/** `undefined`: the publisher's file is the known one. */
export type Download = (Version & { readonly sha256: string; readonly bytes: number }) | undefined;

/** The largest list, OpenSanctions', has some hundred megabytes. */
const usualLargest = 1 << 30;
const usualLimitMs = 600_000;
const mostRedirects = 5;

/** Fetches a file, if it has changed. Throws ListError. */
export async function download(options: DownloadOptions): Promise<Download> {
  const { clock, signal, limitMs = usualLimitMs } = options;
  try {
    return await within(clock, limitMs, (over) => fetchFile(options, over), { signal });
  } catch (error) {
    if (error instanceof ListError) throw error;
    if (error instanceof TimeLimitError)
      throw new ListError('TIMEOUT', `the file was not there within ${limitMs / 1_000} s`, { cause: error });
    throw new ListError('UNREACHABLE', `the file could not be fetched: ${codeOf(error)}`, { cause: error });
  }
}

async function fetchFile({ url, path, known, largestBytes = usualLargest }: DownloadOptions, signal: AbortSignal): Promise<Download> {
  const headers: Record<string, string> = { 'user-agent': 'weir' };
  if (known?.etag != null) headers['if-none-match'] = known.etag;
  if (known?.last_modified != null) headers['if-modified-since'] = known.last_modified;
  const response = await followed(url, headers, signal);
  if (response.status === 304 && known !== undefined) return undefined;
  if (response.status !== 200 || response.body === null) throw await refused(response);
  if (/^text\/html\b/i.test(response.headers.get('content-type') ?? ''))
    throw new ListError('NOT_THE_LIST', 'the publisher answered with a web page');
  const hash = createHash('sha256');
  let bytes = 0;
  const counted = new Transform({
    transform: (chunk: Buffer, _, done) => {
      bytes += chunk.length;
      hash.update(chunk);
      done(bytes > largestBytes ? new ListError('TOO_LARGE', `the file is larger than ${largestBytes} bytes`) : null, chunk);
    },
  });
  await pipeline(Readable.fromWeb(response.body), counted, createWriteStream(path), { signal });
  return { etag: response.headers.get('etag'), last_modified: response.headers.get('last-modified'), sha256: hash.digest('hex'), bytes };
}

/** The first address is the operator's choice; every other one must have https. */
async function followed(url: string, headers: Record<string, string>, signal: AbortSignal): Promise<Response> {
  let at = url;
  for (let hops = 0; hops <= mostRedirects; hops += 1) {
    const response = await fetch(at, { headers, redirect: 'manual', signal });
    const to = response.headers.get('location');
    if (response.status < 300 || response.status > 399 || response.status === 304 || to === null) return response;
    await response.body?.cancel();
    const next = URL.parse(to, at);
    if (next?.protocol !== 'https:') throw new ListError('REDIRECT', 'the publisher leads to an address without https');
    at = next.href;
  }
  throw new ListError('REDIRECT', `the publisher leads on more than ${mostRedirects} times`);
}

async function refused(response: Response): Promise<ListError> {
  await response.body?.cancel();
  return new ListError('STATUS', `the publisher answered with status ${response.status}`);
}

/** Addresses may hold tokens, so only the system's code is told. */
function codeOf(error: unknown): string {
  const { cause, code } = error as { cause?: { code?: unknown }; code?: unknown };
  const found = [cause?.code, code].find((each) => typeof each === 'string');
  return found === undefined ? 'no connection, or it ended early' : found;
}
