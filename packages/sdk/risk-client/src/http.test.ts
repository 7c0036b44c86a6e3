import { getEventListeners } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { systemClock } from './clock.ts';
import { baseOf, call } from './http.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

test('calls that were under way at a collection leave no listener on the signal of their caller', async () => {
  const stop = new AbortController();
  const answer = Promise.withResolvers<void>();
  const options = {
    base: baseOf('http://risk.example'),
    apiKey: 'key',
    keyIn: 'header',
    clock: systemClock,
    timeoutMs: 60_000,
    maxBytes: 1_000,
    fetch: async () => {
      await answer.promise;
      return new Response('{}', { headers: { 'content-type': 'application/json' } });
    },
  } as const;
  const calls = Array.from({ length: 20 }, () => call(options, { method: 'GET', path: '/v1/status', fields: {} }, stop.signal));
  collect();
  answer.resolve();
  expect(await Promise.all(calls)).toMatchObject(calls.map(() => ({ status: 200, body: { text: '{}' } })));
  expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
});
