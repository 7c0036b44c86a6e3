/** `npm run soak`: see `help` below, and docs/chaos.md. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { tablesOf } from './report.ts';
import { soak, type SoakOptions, type SoakReport } from './soak.ts';

const help = `npm run soak -- [--minutes N] [--rate N] [--chaos-every SECONDS] [--seed S] [--report FILE.json]

Keeps an installation on Kafka under a steady load for hours, with a fault at each interval. Then it checks the invariants of npm run chaos for
each transfer, and whether memory, handles, tables, topics and lag have levelled out.

  --minutes N        how long deposits are posted; 120 when left out
  --rate N           deposits a second; 50 when left out
  --chaos-every N    seconds from one fault to the next; 60 when left out
  --retention N      minutes that the log and the topics keep events, short so that the run reaches it; 5 when left out
  --seed S           the order of the faults and their times follow from it; 1 when left out
  --report FILE      writes all samples, faults and results there as JSON, also when the run fails or is interrupted
  --logs FOLDER      keep the services' own lines there
  --help

Ends with 0 when all held, with 1 when something did not or the run was interrupted, with 2 when asked for something else.
`;

/** To stop all processes, once the run is over. */
const closeLimitMs = 180_000;
const exitLimitMs = 10_000;

interface Asked extends SoakOptions {
  readonly file: string | undefined;
}

function parse(): Asked | undefined {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '120' },
      rate: { type: 'string', default: '50' },
      'chaos-every': { type: 'string', default: '60' },
      retention: { type: 'string', default: '5' },
      seed: { type: 'string', default: '1' },
      report: { type: 'string' },
      logs: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const whole = (name: 'minutes' | 'rate' | 'chaos-every' | 'retention' | 'seed', least: number): number => {
    if (!/^\d{1,9}$/.test(values[name]) || Number(values[name]) < least)
      throw new Error(`--${name} must be a whole number of at least ${least}`);
    return Number(values[name]);
  };
  const options = {
    minutes: whole('minutes', 1),
    rate: whole('rate', 1),
    chaosEverySeconds: whole('chaos-every', 5),
    retentionMinutes: whole('retention', 1),
    seed: whole('seed', 0),
    logs: values.logs,
    file: values.report,
  };
  return values.help ? undefined : options;
}

const say = (line: string): void => void process.stdout.write(`${line}\n`);

async function main(): Promise<number> {
  const asked = parse();
  if (asked === undefined) {
    process.stdout.write(help);
    return 0;
  }
  const { file, ...options } = asked;
  if (options.logs !== undefined) mkdirSync(options.logs, { recursive: true });
  const report = emptyReport(options);
  const write = (): void => {
    if (file !== undefined) writeFileSync(file, `${JSON.stringify(report, null, 1)}\n`);
  };
  // Before the hours of the run, so that a path that cannot be written ends it at once.
  write();
  const interrupt = new AbortController();
  const onSignal = (): void => {
    if (interrupt.signal.aborted) {
      write();
      process.exit(1);
    }
    report.isInterrupted = true;
    interrupt.abort();
    say('interrupted: the fault under way is ended first, then all processes');
    // The way out must not hang either.
    setTimeout(() => process.exit(1), closeLimitMs).unref();
    write();
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, onSignal);
  say(
    `${options.minutes} minutes, ${options.rate} deposits a second, a fault each ${options.chaosEverySeconds} s, seed ${options.seed}; starting …`,
  );
  const keeping = setInterval(write, 60_000);
  await soak(report, interrupt.signal, say).catch((error: unknown) => {
    report.wrong.push(error instanceof Error ? error.message : String(error));
  });
  clearInterval(keeping);
  write();
  return conclude(report);
}

function emptyReport(options: SoakOptions): SoakReport {
  return {
    options,
    beganAt: new Date().toISOString(),
    isInterrupted: false,
    seconds: 0,
    deposits: 0,
    withdrawals: 0,
    omitted: 0,
    decided: null,
    revised: null,
    figures: null,
    faults: [],
    samples: [],
    waiting: [],
    missed: {},
    judged: [],
    wrong: [],
  };
}

function conclude(report: SoakReport): number {
  // A long run has judged everything.
  const isLong = report.options.minutes >= 30;
  const uneven = report.judged.filter(({ holds }) => holds === false || (holds === null && isLong));
  say('');
  say(
    `${(report.seconds / 60).toFixed(0)} minutes, ${report.deposits} deposits and ${report.withdrawals} withdrawals, ${report.faults.length} faults, ` +
      `${report.decided ?? 'unknown'} decided, ${report.revised ?? 'unknown'} revised, ${report.figures?.creates ?? 'unknown'} creates.`,
  );
  say('');
  say(tablesOf(report.judged, report.samples));
  for (const [why, times] of Object.entries(report.missed)) say(`${times} times not sampled: ${why}`);
  for (const line of report.wrong) say(`wrong: ${line}`);
  for (const { what, rule } of uneven) say(`does not hold: ${what} (${rule})`);
  if (report.isInterrupted) say('interrupted: not checked to the end');
  const held = report.wrong.length === 0 && uneven.length === 0 && !report.isInterrupted;
  say(held ? 'All held.' : 'Not all held.');
  return held ? 0 : 1;
}

try {
  process.exitCode = await main();
  // Nothing that hangs may keep an unattended run from its end.
  setTimeout(() => process.exit(), exitLimitMs).unref();
} catch (error) {
  process.stderr.write(`soak: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}
