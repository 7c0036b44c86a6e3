/**
 * The baseline: one task at a time, polled until it has a result; after a 429 it waits as long as the response says. Arguments: address,
 * key, milliseconds to run.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { RiskClient } from '@weir/risk-client';

const [baseUrl = '', apiKey = '', runMs = ''] = process.argv.slice(2);
const client = new RiskClient({ baseUrl, apiKey, keyIn: 'header' });
/** Weir's polling interval. */
const pollMs = 500;
const end = performance.now() + Number(runMs);
let done = 0;
for (let n = 0; performance.now() < end; n += 1) {
  const answer = await client.createTask({ coin: 'ETH', address: `0xe${n.toString(16).padStart(39, '0')}` });
  if (answer.kind === 'limited') await delay(answer.retryAfterMs);
  if (answer.kind !== 'created') continue;
  for (let isRunning = true; isRunning && performance.now() < end; ) {
    await delay(pollMs);
    isRunning = (await client.queryTask(answer.task_id)).kind === 'running';
  }
  done += 1;
}
process.send?.({ done });
process.disconnect();
