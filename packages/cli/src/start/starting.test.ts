import { type AddressInfo, createServer } from 'node:net';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { freePorts, type Live, makeFolder, startWeir } from '../testing/weir.ts';

/** A database that takes connections and never answers, so that the start does not go on. */
const silent = createServer((socket) => socket.on('error', () => socket.destroy()));
const folder = makeFolder();
let port = 0;
let live: Live;

beforeAll(async () => {
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const { port: databasePort } = silent.address() as AddressInfo;
  port = await freePorts();
  live = startWeir(['start', '--port', String(port), '--no-sample', '--data-dir', folder.path], {
    env: { DATABASE_URL: `postgres://weir@127.0.0.1:${databasePort}/weir` },
  });
});
afterAll(async () => {
  await live.end('SIGKILL');
  silent.close();
  folder.remove();
});

test('while Weir starts, each port answers 503 in the form of its API', async () => {
  const read = async (at: number, path: string): Promise<unknown> => {
    const answer = await fetch(`http://127.0.0.1:${at}${path}`);
    return { status: answer.status, body: await answer.json() };
  };
  const risk = port + 100;
  await vi.waitFor(() => read(risk, '/healthz'), { timeout: 60_000, interval: 50 });
  const [healthy, score, ready, screenings] = await Promise.all([
    read(risk, '/healthz'),
    read(risk, '/v2/risk_score?coin=ETH'),
    read(risk, '/readyz'),
    read(port, '/v1/screenings'),
  ]);
  const unavailable = { status: 503, body: { success: false, msg: 'ServiceUnavailable', data: {} } };
  expect([healthy, score, ready]).toEqual([{ status: 200, body: { status: 'ok' } }, unavailable, unavailable]);
  expect(screenings).toMatchObject({ status: 503, body: { code: 'STARTING' } });
});
