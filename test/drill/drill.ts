import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { hastened } from './hasten.ts';
import { alertsOf, type Own, type Scenario } from './scenario.ts';
import type { World } from './world.ts';

const root = join(import.meta.dirname, '..', '..');
/** For scrapes, evaluations, and what a busy machine adds. */
const slackSeconds = 30;
const lookEveryMs = 250;

/** Of one alert. */
export interface Outcome {
  readonly alert: string;
  /** Seconds from the fault, once it is made, to the alert, and from its end to the end of the alert; null: not within the limit, or it ends by itself. */
  readonly fired: number | null;
  readonly ended: number | null;
  /** Seconds that each may take. */
  readonly limit: number;
  /** Commands of the runbook, with their exit codes. */
  readonly commands: readonly { readonly command: string; readonly code: number | null }[];
  readonly problems: readonly string[];
}

/**
 * Breaks one thing, waits for its alerts, runs the commands of their runbooks, mends the thing and waits until the alerts have ended.
 * Does not reject.
 */
export async function runScenario(world: World, scenario: Scenario, times: number): Promise<Outcome[]> {
  const steps: (() => Promise<unknown>)[] = [];
  const own: Own = { env: {}, atEnd: (step) => void steps.push(step) };
  try {
    return await run(world, scenario, times, own);
  } catch (error) {
    const problems = [`${scenario.name}: ${(error as Error).message}`];
    return alertsOf(scenario).map((alert) => ({ alert, fired: null, ended: null, limit: 0, commands: [], problems }));
  } finally {
    for (const step of steps.toReversed()) await step().catch(() => undefined);
  }
}

async function run(world: World, scenario: Scenario, times: number, own: Own): Promise<Outcome[]> {
  const { alerts, lasting = {}, afterwards = {}, breakIt, isFromStart = false, noticedAfter = 0 } = scenario;
  const limitOf = new Map(
    Object.entries({ ...alerts, ...lasting, ...afterwards }).map(([alert, seconds]) => [
      alert,
      Math.ceil(hastened(seconds, times)) + slackSeconds,
    ]),
  );
  const wait = async (names: Iterable<string>, isFiring: boolean, more = 0): Promise<Map<string, number | null>> => {
    const began = performance.now();
    const waits = [...names].map(async (alert): Promise<[string, number | null]> => {
      return [alert, await untilFiring(world, alert, { isFiring, limit: (limitOf.get(alert) ?? 0) + more, began })];
    });
    return new Map(await Promise.all(waits));
  };
  // What the scenario before has broken may still show.
  const quiet = isFromStart ? undefined : await wait(limitOf.keys(), false);
  const ran = new Map<string, Ran>();
  const mend = await breakIt(world, own);
  const atOnce = Object.keys({ ...alerts, ...lasting });
  const fired = await wait(atOnce, true);
  await runCommands(world, own, atOnce, ran);
  await mend?.();
  const [ended, later] = await Promise.all([
    mend === undefined ? undefined : wait(Object.keys(alerts), false, noticedAfter),
    wait(Object.keys(afterwards), true),
  ]);
  await runCommands(world, own, Object.keys(afterwards), ran);
  return [...limitOf].map(([alert, limit]) => {
    const [firedAfter = null, endedAfter = null] = [fired.get(alert) ?? later.get(alert), ended?.get(alert)];
    const commands = commandsOf(alert).flatMap((command) => ran.get(command) ?? []);
    const problems = [
      ...(quiet?.get(alert) === null ? [`${alert} fired before anything was broken`] : []),
      ...(firedAfter === null ? [`${alert} did not fire within ${limit} s`] : []),
      ...(ended?.get(alert) === null ? [`${alert} did not end within ${limit + noticedAfter} s`] : []),
      ...commands.filter(({ isGood }) => !isGood).map(({ command, code, said }) => `${command} ended with ${code}: ${said.slice(-300)}`),
    ];
    return { alert, fired: firedAfter, ended: endedAfter, limit, commands, problems };
  });
}

interface Wait {
  readonly isFiring: boolean;
  readonly limit: number;
  readonly began: number;
}

/** Seconds until the alert is as wanted. */
async function untilFiring(world: World, alert: string, { isFiring, limit, began }: Wait): Promise<number | null> {
  for (;;) {
    const seconds = (performance.now() - began) / 1_000;
    if ((await firing(world)).has(alert) === isFiring) return seconds;
    if (seconds > limit) return null;
    await delay(lookEveryMs);
  }
}

/** Their warnings look at three days, and so at the seconds before Prometheus has read anything. Only those that are critical count. */
const objectives: ReadonlySet<string> = new Set(['WeirDecisionsLate', 'WeirGateUnavailable', 'WeirScreeningsStuck']);

/** Names of alerts that fire. One without an instance says only that this small installation has no service of its own for each part. */
async function firing({ prometheus }: World): Promise<ReadonlySet<string>> {
  const { alerts } = await prometheus.ask<{
    alerts: readonly { state: string; labels: { alertname: string; severity: string; instance?: string } }[];
  }>('alerts');
  const real = alerts.filter(
    ({ state, labels }) => state === 'firing' && (labels.alertname !== 'WeirServiceDown' || labels.instance !== undefined),
  );
  return new Set(
    real.filter(({ labels }) => labels.severity === 'critical' || !objectives.has(labels.alertname)).map(({ labels }) => labels.alertname),
  );
}

/** These end with 1 where they find something, which they should here. */
const findsProblems = /^weir (doctor|policy check|audit verify|labels sync|chains status|jobs|topics apply --dry-run)\b/;

interface Ran {
  readonly command: string;
  readonly code: number | null;
  readonly said: string;
  readonly isGood: boolean;
}

function commandsOf(alert: string): string[] {
  const page = readFileSync(join(root, 'docs', 'runbooks', `${alert}.md`), 'utf8');
  const blocks = [...page.matchAll(/```sh\n(.*?)```/gs)].flatMap(([, block = '']) => block.split('\n'));
  const commands = blocks.flatMap((line) => /^(?:npx )?((?:weir|openssl) .+)$/.exec(line.trim())?.[1] ?? []);
  // Words in capitals stand for a value of the case at hand.
  return commands.filter((command) => !/\b[A-Z]{4,}\b/.test(command));
}

/** Each once. */
async function runCommands(world: World, { env }: Own, alerts: readonly string[], ran: Map<string, Ran>): Promise<void> {
  for (const command of alerts.flatMap(commandsOf)) {
    if (ran.has(command)) continue;
    const { code, said } = await (command.startsWith('weir ')
      ? world.weir(command.replace('policy.yaml', world.policyFile).split(' ').slice(1), env)
      : runInShell(command, env));
    ran.set(command, { command, code, said, isGood: code === 0 || (code === 1 && findsProblems.test(command)) });
  }
}

function runInShell(command: string, env: Readonly<Record<string, string>>): Promise<{ code: number; said: string }> {
  return new Promise((resolve) => {
    execFile('sh', ['-c', command], { env: { ...process.env, ...env } }, (error, stdout, stderr) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : Number(error !== null), said: `${stdout}${stderr}` }),
    );
  });
}
