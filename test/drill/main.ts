/** A game day: see `help`, and docs/runbooks/README.md. Prints a table in Markdown. */
import { parseArgs } from 'node:util';
import { runScenario } from './drill.ts';
import { scenarios } from './scenarios.ts';
import { openWorld } from './world.ts';

const help = `npm run drill -- [--only ALERT,ALERT] [--times N]

Breaks one thing at a time in an installation under load: the risk API, its key, a service, a list … For each it waits until the right alert
fires in a real Prometheus, runs the commands of the alert's runbook, and where the thing can be
mended mends it and waits until the alert has ended. --times divides
the times of the alerts (30 when left out); 1 drills with those of operation, which takes two hours. Ends with 0 when each alert has fired in
its time and each command has worked, else with 1.

Alerts: ${scenarios.map(({ alert }) => alert).join(', ')}
`;
const { values } = parseArgs({
  options: { only: { type: 'string', default: '' }, times: { type: 'string', default: '30' }, help: { type: 'boolean', default: false } },
});
const only = values.only.split(',').filter((name) => name !== '');
const isAsked = /^([1-9]|[1-5]\d|60)$/.test(values.times) && only.every((name) => scenarios.some(({ alert }) => alert === name));
if (values.help || !isAsked) {
  process.stdout.write(help);
  process.exit(values.help ? 0 : 2);
}
const times = Number(values.times);
const world = await openWorld(times);
try {
  process.stdout.write('| Broken | Alert | Fired after | Ended after | Limit | Commands of its runbook |\n|---|---|---|---|---|---|\n');
  for (const scenario of scenarios) {
    if (only.length > 0 && !only.includes(scenario.alert)) continue;
    const { fired, ended, limit, commands, problems } = await runScenario(world, scenario, times);
    const seconds = (of: number | null): string => (of === null ? '–' : `${of.toFixed(1)} s`);
    const ran = commands.map(({ command, code }) => `\`${command}\`: ${code}`).join(', ');
    process.stdout.write(`| ${scenario.name} | ${scenario.alert} | ${seconds(fired)} | ${seconds(ended)} | ${limit} s | ${ran} |\n`);
    for (const problem of problems) process.stderr.write(`${problem}\n`);
    if (problems.length > 0) process.exitCode = 1;
  }
} finally {
  await world.close();
}
