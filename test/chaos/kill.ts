import { setTimeout as delay } from 'node:timers/promises';
import { mostInWindow, startUpstream } from '@weir/risk-client/testing';
import { makeInstallation } from '../stack/installation.ts';
import { seededRandom } from '../stack/random.ts';
import { type Books, readBooks } from './books.ts';
import { Load } from './load.ts';

export interface KillRun {
  readonly seed: number;
  readonly kills: number;
  readonly acknowledged: number;
  readonly books: Books;
  /** Creates that the risk API counted, and the most of them in one second. */
  readonly creates: number;
  readonly mostInSecond: number;
  readonly limited: number;
}

const perSecond = 50;

/**
 * Kills the whole installation, again and again, while deposits pour in, then counts. What is killed and when follows from the seed:
 * Weir, PostgreSQL or both, with SIGKILL, a moment after the start or in full flight.
 */
export async function killUnderLoad(options: { seed: number; kills: number; say?: (line: string) => void }): Promise<KillRun> {
  const random = seededRandom(options.seed);
  const upstream = await startUpstream({ perSecond });
  upstream.answer((_subject, create) => ({ running: (create + upstream.creates.length) % 4 }));
  const installation = await makeInstallation({
    env: {
      WEIR_UPSTREAM_URL: upstream.url,
      WEIR_UPSTREAM_API_KEY: upstream.apiKey,
      WEIR_UPSTREAM_PER_SECOND: String(perSecond),
      WEIR_UPSTREAM_PER_DAY: '1000000',
      WEIR_UPSTREAM_POLL_MS: '100',
    },
  });
  try {
    await installation.start();
    const load = new Load(installation, { posters: 4, pauseMs: 10, subjects: 400 });
    for (let kill = 1; kill <= options.kills; kill += 1) {
      await delay(200 + random() * 2_000);
      const what = (['weir', 'postgres', 'both'] as const)[Math.floor(random() * 3)] ?? 'both';
      options.say?.(`kill ${kill}/${options.kills}: ${what}, ${load.acknowledged.size} deposits acknowledged so far`);
      await installation.kill(what);
      await installation.start();
    }
    await load.stop();
    const books = await readBooks(installation.dataDir, [...load.acknowledged.values()], 120_000);
    return {
      seed: options.seed,
      kills: options.kills,
      acknowledged: load.acknowledged.size,
      books,
      creates: upstream.creates.length,
      mostInSecond: mostInWindow(
        upstream.creates.map(({ at }) => at),
        1_000,
      ),
      limited: upstream.limited,
    };
  } finally {
    await installation.remove();
    await upstream.close();
  }
}
