import { systemClock } from '@weir/clock';
import { openKafkaLog } from '@weir/event-log/kafka';
import { knownSenders, type Measured, measureDecisions } from '../decisions.ts';
import { latencyLines, measureLatency } from '../latency.ts';
import { type Line, median } from '../line.ts';
import { usageOfTree } from '../processes.ts';
import { untilSettled } from '../system.ts';
import { type Layout, openClient, type Production, startProduction } from '../tier/production.ts';
import { type Servers, startServers } from '../tier/servers.ts';
import { watchDecisions } from '../watch.ts';
import { type HopSizes, type LoopKind, startBareLoop } from './bare-loop.ts';

const rounds = 2;
const count = 3_000;
const bareCount = 20_000;
const singleCount = 1_000;
/** The batch size of a service's transaction. */
const batchSize = 250;
const latencySeconds = 15;

const way = ['deposits.detected', 'screenings.requested', 'screenings.scored', 'screenings.decided'];
const layouts = ['apart', 'composed'] as const;
const layoutNotes: Readonly<Record<Layout, string>> = {
  apart: 'a process for each service',
  composed: 'ingest, scoring and decision in one process',
};
const answers = ['own question', 'known answer'] as const;
type Answers = (typeof answers)[number];
/** With CPU time until the console and the audit log have all, in milliseconds for each decision. */
interface Costed extends Measured {
  readonly cpuMs: Readonly<Record<'weir' | 'postgres' | 'broker', number>>;
}

/** Throughput from deposits to decisions beside plain kafkajs on the same broker, and the latency of a request. */
export async function benchKafka(print: (line: Line) => void): Promise<{ lines: Line[]; raw: Measured[] }> {
  const servers = await startServers();
  const raw: Measured[] = [];
  const lines: Line[] = [];
  const keep = (more: readonly Line[]): void => {
    more.forEach(print);
    lines.push(...more);
  };
  try {
    const rates = new Map<string, number>();
    let sizes: HopSizes | undefined;
    for (const layout of layouts) {
      const production = await startProduction({ servers, layout });
      try {
        const { measured, more } = await measureLayout(production, layout);
        raw.push(...measured);
        keep(more);
        for (const answer of answers) rates.set(`${layout}, ${answer}`, rateOf(measured, nameOf(layout, answer)));
        sizes = await sizesOf(production);
      } finally {
        await production.close();
      }
    }
    if (sizes === undefined) throw new TypeError('nothing was measured');
    const bare = await measureBare(servers, sizes);
    raw.push(...bare);
    keep(loopLines(bare, sizes, rates));
    return { lines, raw };
  } finally {
    await servers.close();
  }
}

const nameOf = (layout: Layout, answer: Answers): string => `deposits to decisions, Kafka, ${layout}, ${answer}`;
const rateOf = (raw: readonly Measured[], name: string): number =>
  median(raw.filter((measured) => measured.name === name).map(({ perSecond }) => perSecond));

async function measureLayout(production: Production, layout: Layout): Promise<{ measured: Measured[]; more: Line[] }> {
  const watch = await watchDecisions(production.pipeline);
  try {
    const measured: Costed[] = [];
    // The first, shorter round is warm-up.
    for (let round = 0; round <= rounds; round += 1) {
      for (const answer of answers) {
        const senders = answer === 'known answer' ? knownSenders : undefined;
        const run = `${layout}-${answer === 'known answer' ? 'known' : 'own'}-${round}`;
        const size = round === 0 ? 1_000 : count;
        const { result, cpuMs } = await withCpu(production, size, () => measureDecisions(production, watch, size, run, senders));
        if (round > 0) measured.push({ ...result, cpuMs, name: nameOf(layout, answer) });
      }
    }
    const { result: latency, cpuMs } = await withCpu(production, 100 * latencySeconds, () =>
      measureLatency(production, watch, latencySeconds, `${layout}-latency`),
    );
    const more = answers.flatMap((answer) => rateLines(measured, layout, answer));
    const alone = cpuLine(`Kafka, ${layout}, 100/s posted`, cpuMs);
    return { measured, more: [...more, alone, ...latencyLines(`Kafka, ${layout}`, latency, 150)] };
  } finally {
    await watch.stop();
  }
}

async function withCpu<R>(
  production: Production,
  decisions: number,
  measure: () => Promise<R>,
): Promise<{ result: R; cpuMs: Costed['cpuMs'] }> {
  const spent = (): Costed['cpuMs'] => {
    const all = usageOfTree(process.pid);
    const weir = production.processes.reduce((sum, { pid }) => sum + usageOfTree(pid).weir.cpuSeconds, 0);
    return { weir: 1_000 * weir, postgres: 1_000 * all.postgres.cpuSeconds, broker: 1_000 * all.java.cpuSeconds };
  };
  const before = spent();
  const result = await measure();
  await untilSettled(production);
  const after = spent();
  const each = (kind: keyof Costed['cpuMs']): number => (after[kind] - before[kind]) / decisions;
  return { result, cpuMs: { weir: each('weir'), postgres: each('postgres'), broker: each('broker') } };
}

function cpuLine(name: string, { weir, postgres, broker }: Costed['cpuMs']): Line {
  const note = `node ${weir.toFixed(2)}, PostgreSQL ${postgres.toFixed(2)}; besides, broker and registry ${broker.toFixed(2)}`;
  return { name: `CPU of a decision: ${name}`, value: weir + postgres, unit: 'ms', note };
}

function rateLines(all: readonly Costed[], layout: Layout, answer: Answers): Line[] {
  const name = nameOf(layout, answer);
  const measured = all.filter((one) => one.name === name);
  const of = (kind: keyof Costed['cpuMs']): number => median(measured.map(({ cpuMs }) => cpuMs[kind]));
  return [
    { name, value: rateOf(measured, name), unit: '/s', note: layoutNotes[layout] },
    cpuLine(name, { weir: of('weir'), postgres: of('postgres'), broker: of('broker') }),
  ];
}

/** After the services have ended, so that they take no part in it. */
async function measureBare(servers: Servers, sizes: HopSizes): Promise<Measured[]> {
  const log = openKafkaLog({ connection: { brokers: [servers.brokers] }, clock: systemClock });
  const client = await openClient(servers);
  const kinds: readonly (readonly [LoopKind, number])[] = [
    [{ name: 'batch', batchSize }, bareCount],
    [{ name: 'batch and insert', batchSize, pool: client.pool, databaseUrl: servers.databaseUrl }, bareCount],
    [{ name: 'single', batchSize: 0 }, singleCount],
  ];
  const measured: Measured[] = [];
  try {
    for (const [kind, records] of kinds) {
      const loop = await startBareLoop(log, servers.brokers, sizes, kind);
      await loop.measure(records / 4, 'warm');
      for (let round = 1; round <= rounds; round += 1) measured.push(await loop.measure(records, `r${round}`));
      await loop.stop();
    }
  } finally {
    await client.close();
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

function loopLines(bare: readonly Measured[], { bytes }: HopSizes, rates: ReadonlyMap<string, number>): Line[] {
  const name = (kind: string): string => `bare kafkajs loop, ${way.length - 1} hops, ${kind}`;
  const line = (kind: string, of: string, note: string): Line => ({ name: name(kind), value: rateOf(bare, of), unit: '/s', note });
  const loops = [
    line(`batches of ${batchSize}`, 'bare loop, batch', `a process for each hop, values of ${bytes.join(', ')} bytes`),
    line('batches, one INSERT each', 'bare loop, batch and insert', 'one row of each record'),
    line('record by record', 'bare loop, single', 'as with eachMessage'),
  ];
  const shares = [...rates].map(([ours, rate]): Line => {
    const withInsert = rate / rateOf(bare, 'bare loop, batch and insert');
    return {
      name: `share of the bare loop, Kafka, ${ours}`,
      value: rate / rateOf(bare, 'bare loop, batch'),
      unit: '',
      note: `${withInsert.toFixed(2)} of the loop with one INSERT for each batch`,
    };
  });
  return [...loops, ...shares];
}
