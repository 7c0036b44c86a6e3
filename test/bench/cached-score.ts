import { Agent, get } from 'node:http';
import { createApp, createLogger, serve } from '@weir/service-kit';
import { type Checked, startChecked } from '../api/instance.ts';
import { type Line, median } from './line.ts';

const rounds = 3;
const roundMs = 3_000;
const concurrency = 32;

/** A cached score beside a "hello" route of the same process, under the same client. */
export async function benchCachedScore(print: (line: Line) => void = () => undefined): Promise<Line[]> {
  const checked = await startChecked();
  const app = createApp(createLogger({ service: 'bench', level: 'warn' }));
  app.get('/hello', (c) => c.text('hello'));
  const hello = await serve(app, { host: '127.0.0.1', port: 0 });
  try {
    const path = await cachedPath(checked);
    const [scores, hellos]: [number[], number[]] = [[], []];
    // The first round is warm-up.
    for (let round = 0; round <= rounds; round += 1) {
      const score = await requestsPerSecond(`${checked.url}${path}`, { 'x-api-key': checked.keys.standard });
      const plain = await requestsPerSecond(`http://127.0.0.1:${hello.port}/hello`, {});
      if (round === 0) continue;
      scores.push(score);
      hellos.push(plain);
    }
    const ratio = median(hellos.map((plain, n) => plain / (scores[n] ?? Number.NaN)));
    const lines: Line[] = [
      { name: 'cached /v2/risk_score, one key, no limits', value: median(scores), unit: '/s', note: `1/${ratio.toFixed(1)} of hello` },
      { name: 'bare Hono hello, same process and client', value: median(hellos), unit: '/s' },
    ];
    lines.forEach(print);
    return lines;
  } finally {
    await hello.close(500);
    await checked.stop();
  }
}

/** The path of a cached score with exposures. */
async function cachedPath({ url, keys, subjects }: Checked): Promise<string> {
  const path = `/v2/risk_score?${new URLSearchParams(subjects[0]).toString()}`;
  const answer = await fetch(url + path, { headers: { 'x-api-key': keys.standard } });
  if (answer.status !== 200) throw new Error(`the score could not be had: ${answer.status}`);
  return path;
}

async function requestsPerSecond(url: string, headers: Record<string, string>): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: concurrency });
  const start = performance.now();
  let done = 0;
  const loop = async (): Promise<void> => {
    while (performance.now() - start < roundMs) {
      await request(url, headers, agent);
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: concurrency }, loop));
  agent.destroy();
  return (done * 1_000) / (performance.now() - start);
}

function request(url: string, headers: Record<string, string>, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    get(url, { headers, agent }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`answered ${response.statusCode}`));
      response.resume();
      response.once('end', resolve);
    }).once('error', reject);
  });
}
