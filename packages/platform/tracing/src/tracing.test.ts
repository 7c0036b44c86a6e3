import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ManualClock } from '@weir/clock';
import { afterEach, expect, test, vi } from 'vitest';
import {
  activeSpan,
  eventSpan,
  eventTraceparent,
  inSpan,
  isTracing,
  parseTraceparent,
  rootSpan,
  startSpan,
  startTracing,
  toTraceparent,
} from './index.ts';
import { summaryOf } from './statement.ts';

const screening = '16fd2706-8baf-533b-a82b-bb81c2b3ee25';
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

/** A receiver that never answers. */
async function startSilent(): Promise<{ url: string; calls: () => number }> {
  let calls = 0;
  const server = createServer(() => void (calls += 1));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(async () => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, calls: () => calls };
}

async function start(options: { ratio?: number; clock?: ManualClock } = {}) {
  const receiver = await startSilent();
  const clock = options.clock ?? new ManualClock();
  const tracing = await startTracing({ endpoint: receiver.url, headers: '', ratio: options.ratio ?? 1 }, clock);
  return { tracing, receiver, clock };
}

test('without an endpoint no module of the SDK is loaded, and no span begins', async () => {
  const program = `
    import { registerHooks } from 'node:module';
    const loaded = [];
    registerHooks({ load: (url, context, next) => { loaded.push(url); return next(url, context); } });
    const { inSpan, startTracing } = await import(${JSON.stringify(join(import.meta.dirname, 'index.ts'))});
    const tracing = await startTracing({ endpoint: process.env.ENDPOINT, headers: '', ratio: 1 }, undefined);
    const span = await inSpan({ service: 'test', name: 'test' }, async (span) => span);
    console.log(JSON.stringify({ span: span === undefined, sdk: loaded.some((url) => url.includes('/sdk-trace/')) }));
    process.exit();`;
  const run = async (endpoint: string): Promise<unknown> => {
    const args = ['--input-type=module', '-e', program];
    const { stdout } = await promisify(execFile)(process.execPath, args, { env: { ...process.env, ENDPOINT: endpoint } });
    return JSON.parse(stdout);
  };
  expect(await run('')).toEqual({ span: true, sdk: false });
  expect(await run('http://127.0.0.1:1')).toEqual({ span: false, sdk: true });
});

test('stopping waits no longer than its limit for a receiver that does not answer', async () => {
  const { tracing, receiver, clock } = await start();
  startSpan({ service: 'test', name: 'last' })?.end();
  const stopped = tracing.stop();
  expect(isTracing()).toBe(false);
  await vi.waitFor(() => expect(receiver.calls()).toBe(1));
  await vi.waitFor(() => expect(clock.sleeping).toBe(1));
  await clock.advance(5_000);
  await stopped;
});

test('the id of the transfer decides whether it is sampled, whatever its parent says', async () => {
  const { tracing, clock } = await start({ ratio: 0 });
  const span = startSpan({ service: 'test', name: 'test', parent: eventSpan(screening, screening) });
  expect(span?.spanContext()).toMatchObject({ traceId: screening.replaceAll('-', ''), traceFlags: 0 });
  const stopped = tracing.stop();
  await clock.advance(5_000);
  await stopped;
});

test('work in a span sees it, and a span may have ids of its own', async () => {
  const { tracing, clock } = await start();
  const root = rootSpan(screening);
  await inSpan({ service: 'test', name: 'test', parent: 'none', ids: root }, async () => {
    await Promise.resolve();
    expect(activeSpan()).toMatchObject({ traceId: root.traceId, spanId: root.spanId });
  });
  expect(activeSpan()).toBeUndefined();
  const stopped = tracing.stop();
  await clock.advance(5_000);
  await stopped;
});

test('a traceparent is read and written', () => {
  const id = 'deadbeef-0000-5000-8000-000000000000';
  const text = `00-${screening.replaceAll('-', '')}-deadbeef00005000-01`;
  expect(eventTraceparent(screening, id)).toBe(text);
  expect(toTraceparent(parseTraceparent(text) ?? rootSpan(id))).toBe(text);
  for (const wrong of [undefined, '', '00-ab', text.replace('00-', '01-'), text.replace(/-[0-9a-f]{32}-/, `-${'0'.repeat(32)}-`)])
    expect(parseTraceparent(wrong)).toBeUndefined();
});

test('a statement is named without its values', () => {
  const named = (text: string): string => Object.values(summaryOf(text)).join(' ').trim();
  expect(named("SELECT 1 FROM risk.runs WHERE id = 'secret'")).toBe('SELECT risk.runs');
  expect(named('  insert into x')).toBe('INSERT');
  expect(named('BEGIN; SET LOCAL lock_timeout = 1')).toBe('BEGIN');
});
