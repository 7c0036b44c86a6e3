import { systemClock } from '@weir/clock';
import { openKafkaLog } from '@weir/event-log/kafka';
import { type Measured, measureDecisions } from '../decisions.ts';
import { latencyLines, measureLatency } from '../latency.ts';
import { type Line, median } from '../line.ts';
import { type Production, startProduction } from '../tier/production.ts';
import { watchDecisions } from '../watch.ts';
import { type HopSizes, startBareLoop } from './bare-loop.ts';

const rounds = 2;
const count = 3_000;
const bareCount = 20_000;
const singleCount = 1_000;
/** The batch size of a service's transaction. */
const batchSize = 250;
const latencySeconds = 15;

const way = ['deposits.detected', 'screenings.requested', 'screenings.scored', 'screenings.decided'];

/** Throughput from deposits to decisions beside plain kafkajs on the same broker, and the latency of a request. */
export async function benchKafka(print: (line: Line) => void): Promise<{ lines: Line[]; raw: Measured[] }> {
  const production = await startProduction();
  const watch = await watchDecisions(production.pipeline);
  const raw: Measured[] = [];
  try {
    await measureDecisions(production, watch, 1_000, 'warm');
    const latency = await measureLatency(production, watch, latencySeconds, 'latency');
    const sizes = await sizesOf(production);
    for (let round = 1; round <= rounds; round += 1) {
      raw.push(await measureDecisions(production, watch, count, `r${round}`));
      raw.push(...(await measureBare(production, sizes, round)));
    }
    const lines = [...rateLines(raw, sizes), ...latencyLines('Kafka', latency, 150)];
    lines.forEach(print);
    return { lines, raw };
  } finally {
    await watch.stop();
    await production.close();
  }
}

/** The baseline's processes run only during the measurement, while the services are idle. */
async function measureBare({ servers }: Production, sizes: HopSizes, round: number): Promise<Measured[]> {
  const log = openKafkaLog({ connection: { brokers: [servers.brokers] }, clock: systemClock });
  const measured: Measured[] = [];
  try {
    for (const [size, records] of [
      [batchSize, bareCount],
      [0, singleCount],
    ] as const) {
      const loop = await startBareLoop(log, servers.brokers, sizes, size);
      await loop.measure(records / 4, `warm${round}`);
      measured.push(await loop.measure(records, `r${round}`));
      await loop.stop();
    }
  } finally {
    await log.close();
  }
  return measured;
}

async function sizesOf({ pipeline: { log } }: Production): Promise<HopSizes> {
  const bytes: number[] = [];
  let headers: Readonly<Record<string, string>> = {};
  for (const topic of way) {
    const records = await log.read(topic, 0, 0n, 100);
    bytes.push(Math.round(records.reduce((sum, { value }) => sum + value.length, 0) / Math.max(1, records.length)));
    headers = records[0]?.headers ?? {};
  }
  return { bytes, headers };
}

function rateLines(raw: readonly Measured[], { bytes }: HopSizes): Line[] {
  const of = (name: string): number[] => raw.filter((measured) => measured.name === name).map(({ perSecond }) => perSecond);
  const [ours, batch, single] = [of('deposits to decisions'), of('bare loop, batch'), of('bare loop, single')];
  const ratio = (theirs: readonly number[]): string => {
    const share = median(ours.map((own, n) => own / (theirs[n] ?? Number.NaN)));
    return `ours are ${(100 * share).toFixed(share < 0.1 ? 1 : 0)} % of it`;
  };
  return [
    { name: 'deposits to decisions, Kafka, instant upstream', value: median(ours), unit: '/s', note: 'a process for each service' },
    {
      name: `bare kafkajs loop, ${way.length - 1} hops, batches of ${batchSize}`,
      value: median(batch),
      unit: '/s',
      note: `${ratio(batch)}; a process for each hop, values of ${bytes.join(', ')} bytes`,
    },
    { name: `bare kafkajs loop, ${way.length - 1} hops, record by record`, value: median(single), unit: '/s', note: ratio(single) },
  ];
}
