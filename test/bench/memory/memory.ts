import type { Line } from '../line.ts';
import { startSystem } from '../system.ts';
import { metricsOf } from '../tier/process.ts';
import { startProduction } from '../tier/production.ts';
import { Load } from './load.ts';
import { type Sample, summarise } from './slope.ts';

const everyMs = 10_000;
/** By then code and caches are loaded and the heap is stable. */
const warmUpMs = 30_000;
/** The memory limit of a service's container, as in docker-compose.yml. */
const boundMiB = 512;

interface Watched {
  readonly name: string;
  readonly url: string;
}

export async function benchMemory(minutes: number, perSecond: number, print: (line: Line) => void): Promise<Line[]> {
  const production = await startProduction();
  const embedded = await startSystem();
  const watched: Watched[] = [...production.processes, { name: 'embedded', url: embedded.ingest.url }];
  const loads = [
    new Load({ ...production.ingest, name: 'production', perSecond }),
    new Load({ ...embedded.ingest, name: 'embedded', perSecond }),
  ];
  try {
    await new Promise((resolve) => setTimeout(resolve, warmUpMs));
    const samples = await takeSamples(watched, minutes * 60_000);
    const lines = watched.flatMap(({ name }) => linesOf(name, samples.get(name) ?? []));
    const counted: Line[] = loads.map((load) => ({
      name: `deposits posted under the load, ${load.name}`,
      value: load.accepted,
      unit: '',
      note: `${perSecond}/s wanted, ${load.failed} failed`,
    }));
    [...lines, ...counted].forEach(print);
    return [...lines, ...counted];
  } finally {
    await Promise.all(loads.map((load) => load.stop()));
    await embedded.close();
    await production.close();
  }
}

async function takeSamples(watched: readonly Watched[], durationMs: number): Promise<ReadonlyMap<string, Sample[]>> {
  const samples = new Map<string, Sample[]>(watched.map(({ name }) => [name, []]));
  const began = performance.now();
  for (let n = 0; n * everyMs <= durationMs; n += 1) {
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, began + n * everyMs - performance.now())));
    for (const { name, url } of watched) {
      const metrics = await metricsOf(url);
      samples.get(name)?.push({
        minutes: (performance.now() - began) / 60_000,
        rss: mebibytes(metrics.get('process_resident_memory_bytes')),
        heap: mebibytes(metrics.get('nodejs_heap_size_used_bytes')),
      });
    }
    if (process.stderr.isTTY) process.stderr.write(`\r${(n * everyMs) / 1_000} s`);
  }
  return samples;
}

function mebibytes(bytes: number | undefined): number {
  return (bytes ?? Number.NaN) / 1_048_576;
}

function linesOf(name: string, samples: readonly Sample[]): Line[] {
  const rss = summarise(samples, 'rss');
  const heap = summarise(samples, 'heap');
  const range = ({ start, median, max }: typeof rss): string =>
    `${start.toFixed(0)} at first, ${median.toFixed(0)} in the middle, ${max.toFixed(0)} at most`;
  const growth = ({ slope, error }: typeof rss): string => `${slope >= 0 ? '+' : ''}${slope.toFixed(2)} ± ${error.toFixed(2)} MiB a minute`;
  const of = (what: string, figures: typeof rss, bound: string): Line => ({
    name: `${what} of ${name}, most`,
    value: figures.max,
    unit: 'MiB',
    note: `${range(figures)}; ${growth(figures)} in the second half${bound}`,
  });
  return [of('resident memory', rss, name === 'embedded' ? '' : `; bound ${boundMiB} MiB`), of('heap', heap, '')];
}
