import { createHash } from 'node:crypto';
import type { z } from 'zod';
import type { PaidName } from './prices.ts';

/** Sorted, so that equal requests give equal text. */
export function canonicalResource(url: string): string | undefined {
  if (!URL.canParse(url, 'http://localhost')) return undefined;
  const { pathname, searchParams } = new URL(url, 'http://localhost');
  const query = [...searchParams].map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).toSorted();
  return query.length === 0 ? pathname : `${pathname}?${query.join('&')}`;
}

type Parameters = Readonly<Record<string, unknown>>;

/** The resource that a payment pays for. */
export interface PaidResource {
  /** Of the operation. */
  readonly name: string;
  readonly method: 'GET' | 'POST';
  readonly summary: string;
  readonly price: PaidName;
  /** The parameters of its query or body. */
  readonly request: z.ZodObject;
  readonly example: { readonly request: Readonly<Record<string, string | number>> };
}

type Asked = Pick<PaidResource, 'method' | 'request'>;

/** Keeps only the operation's parameters, because a caller may send a key among others. Undefined for an invalid URL. */
export function ownResource({ method, request }: Asked, url: string): string | undefined {
  const [address = ''] = url.split('#', 1);
  const [path = ''] = address.split('?', 1);
  const query = address.slice(path.length);
  // A password may stand before the host.
  if (!URL.canParse(path, 'http://localhost') || /\/\/[^/]*@/.test(path)) return undefined;
  const own = [...new URLSearchParams(query)].filter(([name]) => method === 'GET' && Object.hasOwn(request.shape, name));
  return own.length === 0 ? path : `${path}?${new URLSearchParams(own).toString()}`;
}

export function ownParameters({ request }: Asked, parameters: Parameters | undefined): Parameters | undefined {
  return parameters && Object.fromEntries(Object.entries(parameters).filter(([name]) => Object.hasOwn(request.shape, name)));
}

/**
 * The same path and query, or the path alone, as a probe without parameters names it. The host is ignored, because a service behind a
 * proxy has several.
 */
export function isFor(named: string, requested: string): boolean {
  const [one, other] = [canonicalResource(named), canonicalResource(requested)];
  return one !== undefined && other !== undefined && (one === other || one === other.split('?')[0]);
}

/** Identifies a request. Absent, null and empty parameters are equal, as they are to the operation. */
export function requestDigest(method: string, path: string, parameters: Parameters | undefined): Buffer {
  const given = Object.entries(parameters ?? {}).filter(([, value]) => value !== null && value !== '');
  const sorted = given.toSorted(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([method, path, sorted]))
    .digest();
}

const nonceDigits = 16;

/** The memo that a Solana payment signs: random digits, and the hash of its resource. An EVM signature has no room for it. */
export function memoFor(resource: string, random: (bytes: number) => Buffer): string {
  return `${random(nonceDigits / 2).toString('hex')}.${hashOf(resource)}`;
}

export function isMemoFor(memo: unknown, resource: string): memo is string {
  return typeof memo === 'string' && /^[0-9a-f]{16}\.[0-9a-f]{32}$/.test(memo) && memo.slice(nonceDigits + 1) === hashOf(resource);
}

function hashOf(resource: string): string {
  return createHash('sha256')
    .update(canonicalResource(resource) ?? '')
    .digest('hex')
    .slice(0, 32);
}
