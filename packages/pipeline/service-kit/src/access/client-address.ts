import { BlockList, isIP } from 'node:net';
import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';

/** Hops of `X-Forwarded-For` to check, from the nearest. */
const mostHops = 20;

/** Addresses and networks (`10.0.0.0/8`, `2001:db8::/32`), separated by commas. Throws for an invalid one. */
export function parseNetworks(text: string): BlockList {
  const list = new BlockList();
  for (const part of text
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '')) {
    const [, address = '', bits] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(part) ?? [];
    const version = isIP(address);
    const most = version === 4 ? 32 : 128;
    if (version === 0 || Number(bits ?? most) > most)
      throw new Error('must be addresses or networks such as 10.0.0.0/8, separated by commas');
    list.addSubnet(address, Number(bits ?? most), version === 4 ? 'ipv4' : 'ipv6');
  }
  return list;
}

/**
 * The connection's peer or, behind trusted proxies, the entry in `X-Forwarded-For`, which others could forge. IPv6 is cut to its /64, which
 * one subscriber has; `unknown` without a connection.
 */
export function clientAddress(c: Context, trusted: BlockList): string {
  const { incoming } = (c.env ?? {}) as Partial<HttpBindings>;
  let address = plain(incoming?.socket?.remoteAddress ?? '');
  if (address === undefined) return 'unknown';
  const hops = (c.req.header('x-forwarded-for') ?? '').split(',').slice(-mostHops).toReversed();
  for (const hop of hops) {
    if (!trusted.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6')) break;
    const next = plain(hop.trim());
    if (next === undefined) break;
    address = next;
  }
  return isIP(address) === 4 ? address : networkOf(address);
}

/** Without port, brackets and zone; IPv4-mapped IPv6 as IPv4. Undefined if it is no address. */
function plain(text: string): string | undefined {
  const bare = /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
  const address = bare.replace(/%.*$/, '').replace(/^::ffff:(?=[\d.]+$)/i, '');
  return isIP(address) === 0 ? undefined : address;
}

function networkOf(address: string): string {
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const groups = (part: string): string[] => part.split(':').filter((group) => group !== '');
  const [before, after] = [groups(head), groups(tail ?? '')];
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0');
  return `${[...before, ...zeros, ...after].slice(0, 4).join(':')}::/64`;
}
