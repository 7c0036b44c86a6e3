import type { Context } from 'hono';

/** `http://host[:port]` or a longer base URL, without a trailing slash; empty when unknown. */
export type Origin = string;

/** A name, an IPv4 address or an IPv6 address in brackets, and a port. Names of containers may have `_`. */
const host = /^(?:[a-z0-9](?:[a-z0-9._-]{0,251}[a-z0-9])?|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i;

/**
 * The configured base URL, else the Host header if it is a plain host and port. The scheme is unknown behind a proxy, so a deployment with
 * one configures the URL.
 */
export function originOf(c: Context, publicUrl: string): Origin {
  if (publicUrl !== '') return publicUrl.replace(/\/+$/, '');
  const named = c.req.header('host') ?? '';
  return host.test(named) ? `http://${named.toLowerCase()}` : '';
}
