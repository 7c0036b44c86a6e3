import type { HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import { expect, test } from 'vitest';
import { clientAddress, parseNetworks } from './client-address.ts';

async function addressOf(socket: string | undefined, forwarded?: string, trusted = ''): Promise<string> {
  const app = new Hono().get('/', (c) => c.text(clientAddress(c, parseNetworks(trusted))));
  const env = socket === undefined ? undefined : ({ incoming: { socket: { remoteAddress: socket } } } as unknown as HttpBindings);
  return (await app.request('/', forwarded === undefined ? {} : { headers: { 'x-forwarded-for': forwarded } }, env)).text();
}

test.each<[string | undefined, string]>([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8::6', '2001:db8:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  [undefined, 'unknown'],
])('the other end %s is %s', async (socket, address) => {
  expect(await addressOf(socket)).toBe(address);
  expect(await addressOf(socket, '198.51.100.7')).toBe(address);
});

test.each<[string, string, string]>([
  ['198.51.100.7', '198.51.100.7', 'the client'],
  ['203.0.113.5, 198.51.100.7', '198.51.100.7', 'what the proxy itself saw, whatever the client said before'],
  ['198.51.100.7, 10.1.2.3', '198.51.100.7', 'the client, through two proxies'],
  ['10.9.9.9', '10.9.9.9', 'one inside'],
  ['198.51.100.7:4711', '198.51.100.7', 'without the port'],
  ['[2001:db8::7]:4711', '2001:db8:0:0::/64', 'IPv6 with a port'],
  ['unknown', '10.0.0.1', 'the proxy, which says nothing that can be used'],
  ['', '10.0.0.1', 'the proxy, which says nothing'],
  [`${'198.51.100.7, '.repeat(3)}${'10.0.0.1, '.repeat(30)}10.0.0.1`, '10.0.0.1', 'the proxy, where there are too many'],
])('behind a trusted proxy that forwards for "%s" it is %s: %s', async (forwarded, address) => {
  expect(await addressOf('10.0.0.1', forwarded, '10.0.0.0/8')).toBe(address);
  expect(await addressOf('::ffff:10.0.0.1', forwarded, '10.0.0.0/8')).toBe(address);
});

test('networks are IPv4 and IPv6, one address or many', async () => {
  expect(await addressOf('2001:db8::1', '192.0.2.7', '10.0.0.1, 2001:db8::/32')).toBe('192.0.2.7');
  expect(await addressOf('10.0.0.2', '192.0.2.7', '10.0.0.1, 2001:db8::/32')).toBe('10.0.0.2');
});

test.each(['x', '10.0.0.0/33', '10.0.0.0/x', '2001:db8::/129', '10.0.0', '10.0.0.1/8/8', 'proxy.example'])('%s is no network', (text) => {
  expect(() => parseNetworks(text)).toThrow('must be addresses or networks');
});
