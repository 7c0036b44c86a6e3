import type { Context } from 'hono';

/** `http://host[:port]` or more, without a slash at the end; empty when it is not known. */
export type Origin = string;

/** A name or an IPv4 address, or an IPv6 address in brackets; a port. */
const host = /^(?:[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i;

/**
 * Where this API is found, for addresses in its answers: the one that was set, else what the caller calls it, which is taken for a plain host and port
 * or not at all. The scheme cannot be known behind a proxy, so whoever has one sets the address.
 */
export function originOf(c: Context, publicUrl: string): Origin {
  if (publicUrl !== '') return publicUrl.replace(/\/+$/, '');
  const named = c.req.header('host') ?? '';
  return host.test(named) ? `http://${named.toLowerCase()}` : '';
}
