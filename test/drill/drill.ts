import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Scenario } from './scenarios.ts';
import type { World } from './world.ts';

const root = join(import.meta.dirname, '..', '..');
/** For scrapes, evaluations, and what a busy machine adds. */
const slackSeconds = 30;
const lookEveryMs = 250;

export interface Outcome {
  /** Seconds from the fault to the alert, and from its end to the end of the alert; null: not within the limit, or it ends by itself. */
  readonly fired: number | null;
  readonly ended: number | null;
  /** Seconds that each may take. */
  readonly limit: number;
  /** Commands of the runbook, with their exit codes. */
  readonly commands: readonly { readonly command: string; readonly code: number | null }[];
  readonly problems: readonly string[];
}

/** Breaks one thing, waits for its alert, runs the commands of its runbook, mends the thing and waits until the alert has ended. */
export async function runScenario(world: World, scenario: Scenario, times: number): Promise<Outcome> {
  const { alert, seconds, breakIt, mend, isFromStart = false } = scenario;
  const limit = Math.ceil(seconds / times) + slackSeconds;
  // What the scenario before has broken may still show.
  const isQuiet = isFromStart || (await untilFiring(world, alert, { isFiring: false, limit, began: performance.now() })) !== null;
  const began = performance.now();
  await breakIt(world);
  const fired = await untilFiring(world, alert, { isFiring: true, limit, began });
  const commands = await runCommands(world, alert);
  const mended = performance.now();
  await mend?.(world);
  const ended = mend === undefined ? null : await untilFiring(world, alert, { isFiring: false, limit, began: mended });
  const problems = [
    ...(isQuiet ? [] : [`${alert} fired before anything was broken`]),
    ...(fired === null ? [`${alert} did not fire within ${limit} s`] : []),
    ...(mend !== undefined && ended === null ? [`${alert} did not end within ${limit} s`] : []),
    ...commands.filter(({ isGood }) => !isGood).map(({ command, code, said }) => `${command} ended with ${code}: ${said.slice(-300)}`),
  ];
  return { fired, ended, limit, commands: commands.map(({ command, code }) => ({ command, code })), problems };
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

/** Names of alerts that fire. One without an instance says only that this small installation has no service of its own for each part. */
async function firing({ prometheus }: World): Promise<ReadonlySet<string>> {
  const { alerts } = await prometheus.ask<{
    alerts: readonly { state: string; labels: { alertname: string; instance?: string } }[];
  }>('alerts');
  const real = alerts.filter(
    ({ state, labels }) => state === 'firing' && (labels.alertname !== 'WeirServiceDown' || labels.instance !== undefined),
  );
  return new Set(real.map(({ labels }) => labels.alertname));
}

/** `doctor` and checks of files end with 1 where they find something, which they should here. */
const findsProblems = /^(doctor|policy check)\b/;

async function runCommands(world: World, alert: string) {
  const page = readFileSync(join(root, 'docs', 'runbooks', `${alert}.md`), 'utf8');
  const blocks = [...page.matchAll(/```sh\n(.*?)```/gs)].flatMap(([, block = '']) => block.split('\n'));
  const found = [];
  for (const line of blocks) {
    const [, command] = /^npx weir (.+)$/.exec(line.trim()) ?? [];
    // Words in capitals stand for a value of the case at hand.
    if (command === undefined || /\b[A-Z]{4,}\b/.test(command)) continue;
    const args = command.replace('policy.yaml', world.policyFile).split(' ');
    const { code, said } = await world.weir(args);
    found.push({ command: `weir ${command}`, code, said, isGood: code === 0 || (code === 1 && findsProblems.test(command)) });
  }
  return found;
}
