import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TransferRow } from '@weir/chain-import';
import { ManualClock } from '@weir/clock';
import { createLogger } from '@weir/service-kit';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { PriceSource } from './price-source.ts';

const logger = createLogger({ service: 'test', level: 'silent' });
const hourMs = 3_600_000;
const transfer: TransferRow = {
  chain: 'ethereum',
  txid: null,
  position: 0,
  from_address: 'a',
  to_address: 'b',
  coin: 'ETH',
  amount: '2',
  usd_value: null,
  time: '2026-01-01T05:30:00Z',
  source: 'node',
};

let folder: string;
let server: Server;
let answer: (request: IncomingMessage, response: ServerResponse) => void;
let stopping: AbortController;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'weir-test-'));
  stopping = new AbortController();
  server = createServer((request, response) => answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(() => {
  stopping.abort();
  server.close();
  server.closeAllConnections();
  rmSync(folder, { recursive: true });
});

const clock = new ManualClock(Date.parse('2026-01-01T06:00:00Z'));
const sourceOf = (source: string): PriceSource => new PriceSource({ source, clock, logger, signal: stopping.signal });
const wordsOf = (prices: PriceSource): string[] => prices.problems(hourMs).map(({ words }) => words);
const table = (...rows: string[]): string => `coin,date,usd\n${rows.join('\n')}\n`;
const valueOf = (prices: PriceSource): string | null => prices.valued(transfer).usd_value;

it('a file gives the price of the hour, is read again when it changes, and counts on when it breaks', async () => {
  const path = join(folder, 'prices.csv');
  const prices = sourceOf(path);
  await prices.read();
  expect([valueOf(prices), wordsOf(prices)]).toEqual([null, [expect.stringContaining('cannot be read'), 'no price is known']]);
  writeFileSync(path, table('ETH,2026-01-01T05:00:00Z,3000'));
  await prices.read();
  expect([valueOf(prices), wordsOf(prices), prices.ageMs()]).toEqual(['6000', [], hourMs]);
  writeFileSync(path, table('ETH,2026-01-01T05:00:00Z,3000.5'));
  await prices.read();
  expect(valueOf(prices)).toBe('6001');
  writeFileSync(path, table('ETH,2026-01-01T05:00:00Z,cheap'));
  await prices.read();
  expect(valueOf(prices)).toBe('6001');
  expect(wordsOf(prices)).toEqual([expect.stringContaining('usd is not a decimal number')]);
});

it('stale prices are said so, and two days without one give no value', async () => {
  const path = join(folder, 'prices.csv');
  writeFileSync(path, table('ETH,2025-12-30,3000'));
  const prices = sourceOf(path);
  await prices.read();
  expect(valueOf(prices)).toBeNull();
  expect(prices.problems(48 * hourMs)).toEqual([
    { problem: 'stale', words: 'the prices are stale: the newest is of 2025-12-30T00:00:00.000Z' },
  ]);
  expect(prices.problems(72 * hourMs)).toEqual([]);
});

it('a URL is fetched once for each version, and a fault does not name it', async () => {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/table.csv?key=secret`;
  const asked: (string | undefined)[] = [];
  answer = (request, response) => {
    asked.push(request.headers['if-none-match']);
    if (request.headers['if-none-match'] === '"1"') response.writeHead(304).end();
    else response.writeHead(200, { etag: '"1"', 'content-type': 'text/csv' }).end(table('ETH,2026-01-01,3000'));
  };
  const prices = sourceOf(url);
  await prices.read();
  await prices.read();
  expect([valueOf(prices), asked]).toEqual(['6000', [undefined, '"1"']]);
  answer = (_request, response) => response.writeHead(503).end();
  await prices.read();
  expect(valueOf(prices)).toBe('6000');
  const [problem] = prices.problems(48 * hourMs);
  expect(problem).toMatchObject({ problem: 'unreadable', words: expect.stringContaining('cannot be read') });
  expect(problem?.words).not.toContain('secret');
});
