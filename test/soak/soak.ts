import { setTimeout as delay } from 'node:timers/promises';
import { systemClock, within } from '@weir/clock';
import { topics } from '@weir/contracts';
import { type KafkaSurvey, openKafkaSurvey } from '@weir/event-log/kafka';
import type { OpenPipeline } from '@weir/service-kit';
import kafkajs from 'kafkajs';
import { type Findings, History } from '../chaos/checker.ts';
import { perform } from '../chaos/faults.ts';
import { type KafkaDeployment, startKafkaDeployment } from '../chaos/kafka.ts';
import { Load } from '../chaos/load.ts';
import { endedSince, wordsOf } from '../chaos/run.ts';
import type { Figures } from '../chaos/upstream.ts';
import { seededRandom } from '../support/stack/random.ts';
import { type Judged, judge } from './judgement.ts';
import { SteadyLoad } from './load.ts';
import { drawn } from './plan.ts';
import { type Sample, sample, type Waiting, waiting } from './samples.ts';

export interface SoakOptions {
  readonly minutes: number;
  readonly rate: number;
  readonly chaosEverySeconds: number;
  readonly retentionMinutes: number;
  readonly seed: number;
  readonly logs: string | undefined;
}

export interface SoakReport {
  readonly options: SoakOptions;
  readonly beganAt: string;
  isInterrupted: boolean;
  /** Of the load. */
  seconds: number;
  deposits: number;
  withdrawals: number;
  /** Deposits left out, since too many were open. */
  omitted: number;
  decided: number | null;
  revised: number | null;
  figures: Figures | null;
  readonly faults: { readonly at: number; readonly name: string; readonly said: string[] }[];
  readonly samples: Sample[];
  readonly waiting: Waiting[];
  /** Samples that could not be had, by why. */
  readonly missed: Record<string, number>;
  judged: readonly Judged[];
  readonly wrong: string[];
}

const sampleEveryMs = 30_000;
const waitingEveryMs = 10_000;
/** Far within the retention of its topic. */
const followEveryMs = 15_000;
const progressEveryMs = 60_000;
const faultLimitMs = 600_000;
const faultAtEndMs = 30_000;
const readLimitMs = 60_000;
/** Past the limit of each deposit. */
const stopLimitMs = 400_000;
const settleLimitMs = 900_000;
const closeLimitMs = 120_000;
const topicsLimitMs = 60_000;
const minuteMs = 60_000;

/** Segments roll and offsets are compacted within minutes, so that retention begins within the run. */
const broker = {
  'log.retention.check.interval.ms': 30_000,
  'log.segment.delete.delay.ms': 10_000,
  'offsets.topic.segment.bytes': 1_048_576,
};

/** Fills `report` as it goes, so that one that fails or is interrupted has all that was seen. */
export async function soak(report: SoakReport, signal: AbortSignal, say: (line: string) => void): Promise<void> {
  const { options } = report;
  const retentionMs = options.retentionMinutes * minuteMs;
  const deployment = await startKafkaDeployment({
    logs: options.logs,
    // Half of the deposits ask. The rest is to work off what an outage has left.
    perSecond: Math.max(options.rate, 20),
    env: { WEIR_LOG_RETENTION_MS: String(retentionMs) },
    broker,
  });
  try {
    await setRetention(deployment, retentionMs);
    const pipeline = await deployment.open();
    const survey = openKafkaSurvey({ connection: { brokers: brokersOf(deployment) }, clock: systemClock });
    try {
      await run(report, { deployment, pipeline, survey, signal, say });
    } finally {
      survey.close();
      await pipeline.close().catch(() => undefined);
    }
  } finally {
    if (report.wrong.length > 0) say(deployment.output());
    await within(systemClock, closeLimitMs, deployment.close());
  }
}

interface Run {
  readonly deployment: KafkaDeployment;
  readonly pipeline: OpenPipeline;
  readonly survey: KafkaSurvey;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
}

async function run(report: SoakReport, { deployment, pipeline, survey, signal, say }: Run): Promise<void> {
  const { options } = report;
  const began = performance.now();
  const seconds = (): number => Math.round((performance.now() - began) / 100) / 10;
  const over = new AbortController();
  const ended = AbortSignal.any([signal, over.signal]);
  const history = new History(deployment);
  const garbage = new Set<string>();
  const name = `soak-${options.seed}-${Math.round(began)}`;
  const load = new SteadyLoad(deployment, { name, perSecond: options.rate });
  const withdrawals = new Load(deployment, { name, depositPosters: 0, pauseMs: 0, withdrawalEveryMs: 1_000, subjects: 1_000 });
  const count = (): void => {
    report.seconds = seconds();
    report.deposits = load.acknowledged.size;
    report.withdrawals = withdrawals.withdrawals;
    report.omitted = load.omitted;
  };
  const every = (ms: number, work: () => Promise<void>): Promise<void> =>
    repeat(ended, ms, () =>
      work().catch((error: unknown) => {
        report.missed[messageOf(error)] = (report.missed[messageOf(error)] ?? 0) + 1;
      }),
    );
  const side = Promise.all([
    history.checkpoints.watch(ended),
    every(sampleEveryMs, async () => {
      report.samples.push(await sample(deployment, pipeline, { at: seconds(), deposits: load.acknowledged.size }));
    }),
    every(followEveryMs, () => history.follow(pipeline)),
    every(waitingEveryMs, async () => void report.waiting.push(await waiting(pipeline, survey, seconds()))),
    every(progressEveryMs, async () => {
      count();
      // The first turn is at the start.
      if (report.samples.length > 0) say(progressOf(report));
    }),
    chaos(report, { deployment, garbage, name, ended, seconds, say }),
  ]);
  await delay(options.minutes * minuteMs, undefined, { signal }).catch(() => undefined);
  over.abort();
  // An interruption waits for nothing but the fault under way, and for that only a while.
  await within(systemClock, signal.aborted ? faultAtEndMs : faultLimitMs + readLimitMs, side).catch((error: unknown) => {
    report.wrong.push(`the last fault could not be ended: ${messageOf(error)}`);
  });
  const stopping = [load.stop(), withdrawals.stop()].map((stopped) => within(systemClock, stopLimitMs, stopped, { signal }));
  const failures = await Promise.allSettled(stopping);
  count();
  if (!signal.aborted) for (const failure of failures) if (failure.status === 'rejected') report.wrong.push(messageOf(failure.reason));
  report.judged = judge({
    samples: report.samples,
    waiting: report.waiting,
    faults: report.faults.map(({ at }) => at),
    perSecond: options.rate,
    retentionSeconds: options.retentionMinutes * 60,
  });
  if (signal.aborted) return;
  say(`${report.deposits} deposits and ${report.withdrawals} withdrawals are acknowledged; checking each …`);
  const transfers = new Map([...load.acknowledged, ...withdrawals.acknowledged]);
  const tell = (findings: Findings): void => say(`  ${seconds().toFixed(0)} s  not yet: ${wordsOf(findings).join('; ')}`);
  const reading = history.read(transfers, garbage, settleLimitMs, tell);
  const findings = await within(systemClock, 2 * settleLimitMs, reading, { signal }).catch((error: unknown) => {
    if (signal.aborted) return undefined;
    throw error;
  });
  report.isInterrupted = signal.aborted;
  if (findings === undefined) return;
  report.decided = findings.decided;
  report.revised = findings.revised;
  report.wrong.push(...wordsOf(findings));
  const figures = await deployment.upstream.figures();
  report.figures = figures;
  const perSecond = Math.max(options.rate, 20);
  if (figures.mostInSecond > perSecond) report.wrong.push(`${figures.mostInSecond} creates in one second, ${perSecond} are allowed`);
  if (figures.limited > 0) report.wrong.push(`${figures.limited} creates were answered with 429`);
  report.wrong.push(...endedSince({}, deployment.ended()));
}

interface Chaos {
  readonly deployment: KafkaDeployment;
  readonly garbage: Set<string>;
  readonly name: string;
  readonly ended: AbortSignal;
  readonly seconds: () => number;
  readonly say: (line: string) => void;
}

/** One fault at a time: where one lasts longer than the interval, the next one waits for its turn. */
async function chaos(report: SoakReport, { deployment, garbage, name, ended, seconds, say }: Chaos): Promise<void> {
  const { seed, chaosEverySeconds } = report.options;
  const plan = drawn(seed);
  const random = seededRandom(seed + 1);
  await repeat(ended, chaosEverySeconds * 1_000, async () => {
    if (seconds() < chaosEverySeconds) return;
    const { name: fault, step } = plan.next().value;
    const entry = { at: seconds(), name: fault, said: [] as string[] };
    report.faults.push(entry);
    const tell = (line: string): void => {
      entry.said.push(line);
      say(`  ${seconds().toFixed(1)} s  ${fault}: ${line}`);
    };
    const context = { deployment, random, run: `${name}-${report.faults.length}`, say: tell, sentGarbage: garbage };
    await within(systemClock, faultLimitMs, perform(step, context)).catch((error: unknown) => {
      report.wrong.push(`${fault} at ${entry.at} s could not be ended: ${messageOf(error)}`);
    });
  });
}

/** At each multiple of `ms`, without the turns that pass while one is at work. */
async function repeat(ended: AbortSignal, ms: number, work: () => Promise<void>): Promise<void> {
  const began = performance.now();
  for (let turn = 0; !ended.aborted; ) {
    await work();
    turn = Math.max(turn + 1, Math.ceil((performance.now() - began) / ms));
    await delay(Math.max(began + turn * ms - performance.now(), 0), undefined, { signal: ended }).catch(() => undefined);
  }
}

function brokersOf({ env }: KafkaDeployment): readonly string[] {
  return (env['KAFKA_BROKERS'] ?? '').split(',');
}

/** Of the topics of events. Dead letters are few, and the check reads them all at the end. */
async function setRetention(deployment: KafkaDeployment, retentionMs: number): Promise<void> {
  const admin = new kafkajs.Kafka({
    brokers: [...brokersOf(deployment)],
    logLevel: kafkajs.logLevel.NOTHING,
    requestTimeout: topicsLimitMs,
  }).admin();
  await admin.connect();
  try {
    await admin.alterConfigs({
      validateOnly: false,
      resources: topics.map((topic) => ({
        type: kafkajs.ConfigResourceTypes.TOPIC,
        name: topic,
        // The call replaces all of a topic's own settings.
        configEntries: [
          { name: 'retention.ms', value: String(retentionMs) },
          { name: 'segment.ms', value: String(Math.round(retentionMs / 5)) },
          { name: 'message.timestamp.type', value: 'LogAppendTime' },
          { name: 'max.message.bytes', value: '4194304' },
        ],
      })),
    });
  } finally {
    await admin.disconnect();
  }
}

function progressOf({ seconds, deposits, omitted, samples, waiting: all, faults }: SoakReport): string {
  const [last, waits] = [samples.at(-1), all.at(-1)];
  const mebibytes = (bytes: number): string => `${Math.round(bytes / 1_024 ** 2)} MB`;
  const weir = Object.entries(last?.processes ?? {}).filter(([name]) => /-[12]$/.test(name));
  const memory = weir.reduce((sum, [, { pssBytes }]) => sum + pssBytes, 0);
  const lag = Object.values(waits?.lag ?? {}).reduce((sum, each) => sum + each, 0);
  return (
    `${(seconds / 60).toFixed(1)} min: ${deposits} deposits (${omitted} left out), ${faults.length} faults, lag ${lag}, ` +
    `${waits?.undecided ?? '–'} undecided, the oldest for ${waits?.oldestSeconds.toFixed(0) ?? '–'} s, Weir ${mebibytes(memory)}, ` +
    `PostgreSQL ${mebibytes(last?.processes['postgres']?.pssBytes ?? 0)}, broker ${mebibytes(last?.processes['broker']?.pssBytes ?? 0)}`
  );
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
