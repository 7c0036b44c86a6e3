/** A game day: see `help`, and docs/runbooks/README.md. Prints a table in Markdown. */
import { parseArgs } from 'node:util';
import { runScenario } from './drill.ts';
import { alertsOf, type Scenario } from './scenario.ts';
import { groups, slow } from './scenarios.ts';
import { openWorld } from './world.ts';

const alerts = [...groups.flat(), ...slow].flatMap(alertsOf);

const help = `npm run drill -- [--only ALERT,ALERT] [--times N]

Breaks the parts of an installation under load: the risk API, its key, a followed chain, a list, the audit log … It waits until the right alerts
fire in a real Prometheus, runs the commands of their runbooks, and where the thing can be mended mends it and waits until the alerts have
ended. Faults that do not disturb each other are made at the same time. --only runs the scenarios of these alerts. --times divides the times of
the alerts (30 when left out), those from a day on twice; 1 drills with those of operation, which takes more than a day. Ends with 0 when each
alert has fired in its time and each command has worked, else with 1.

Alerts: ${alerts.join(', ')}
`;
const { values } = parseArgs({
  options: { only: { type: 'string', default: '' }, times: { type: 'string', default: '30' }, help: { type: 'boolean', default: false } },
});
const only = values.only.split(',').filter((name) => name !== '');
const isAsked = /^([1-9]|[1-5]\d|60)$/.test(values.times) && only.every((name) => alerts.includes(name));
if (values.help || !isAsked) {
  process.stdout.write(help);
  process.exit(values.help ? 0 : 2);
}
const times = Number(values.times);
const isWanted = (scenario: Scenario): boolean => only.length === 0 || alertsOf(scenario).some((alert) => only.includes(alert));
const world = await openWorld(times);

async function run(scenarios: readonly Scenario[]): Promise<void> {
  await Promise.all(scenarios.filter(isWanted).map(runOne));
}

async function runOne(scenario: Scenario): Promise<void> {
  for (const { alert, fired, ended, limit, commands, problems } of await runScenario(world, scenario, times)) {
    const seconds = (of: number | null): string => (of === null ? '–' : `${of.toFixed(1)} s`);
    const ran = commands.map(({ command, code }) => `\`${command}\`: ${code}`).join(', ');
    process.stdout.write(`| ${scenario.name} | ${alert} | ${seconds(fired)} | ${seconds(ended)} | ${limit} s | ${ran} |\n`);
    for (const problem of problems) process.stderr.write(`${problem}\n`);
    if (problems.length > 0) process.exitCode = 1;
  }
}

try {
  process.stdout.write('| Broken | Alert | Fired after | Ended after | Limit | Commands of its runbook |\n|---|---|---|---|---|---|\n');
  const beside = run(slow);
  for (const group of groups) await run(group);
  await beside;
} finally {
  await world.close();
}
