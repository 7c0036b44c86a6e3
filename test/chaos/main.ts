/** `npm run chaos`: see `help` below, and docs/chaos.md. */
import { mkdirSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { History } from './checker.ts';
import type { Tier } from './deployment.ts';
import { startDeployment } from './start.ts';
import { planOf } from './plan.ts';
import { chaosRun, type Outcome, wordsOf } from './run.ts';
import { scenarios } from './scenarios.ts';

const help = `npm run chaos -- [--runs N] [--seed S] [--tier embedded|kafka [--composed]] [--scenario NAME[+NAME]]

Kills, wipes, cuts off and misleads parts of a running Weir under load, then reads its books. Each run's faults follow from its
seed: S, S+1 … S+N-1. ${scenarios.length} runs have every scenario once, the next ${scenarios.length} each together with another.

  --runs N          how many runs; 5 when left out
  --seed S          the first run's seed; 1 when left out
  --tier T          embedded (when left out): weir start and its PostgreSQL
                    kafka: Kafka, registry, Redis, PostgreSQL and two processes of every service
  --composed        on Kafka: two processes with ingest, scoring and decision instead of two of each
  --scenario NAME   this one in every run, or several at once, joined by +
  --json            one line of JSON for each run, too
  --logs FOLDER     keep the services' own lines there
  --help

Scenarios: ${scenarios.map(({ name }) => name).join(', ')}.

Ends with 0 when every run held, with 1 when one did not, with 2 when asked for something else.
`;

interface Options {
  readonly runs: number;
  readonly seed: number;
  readonly tier: Tier;
  readonly isComposed: boolean;
  readonly scenario: string | undefined;
  readonly json: boolean;
  readonly logs: string | undefined;
}

function parse(): Options | undefined {
  const { values } = parseArgs({
    options: {
      runs: { type: 'string', default: '5' },
      seed: { type: 'string', default: '1' },
      tier: { type: 'string', default: 'embedded' },
      composed: { type: 'boolean', default: false },
      scenario: { type: 'string' },
      json: { type: 'boolean', default: false },
      logs: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const whole = (name: string, text: string, least: number): number => {
    if (!/^\d{1,9}$/.test(text) || Number(text) < least) throw new Error(`--${name} must be a whole number of at least ${least}`);
    return Number(text);
  };
  const { tier, composed: isComposed, scenario, json, logs } = values;
  if (tier !== 'embedded' && tier !== 'kafka') throw new Error('--tier must be embedded or kafka');
  if (isComposed && tier !== 'kafka') throw new Error('--composed is for --tier kafka: the embedded tier is one process');
  if (scenario !== undefined) planOf(0, scenario);
  const [runs, seed] = [whole('runs', values.runs, 1), whole('seed', values.seed, 0)];
  return values.help ? undefined : { runs, seed, tier, isComposed, scenario, json, logs };
}

const endLimitMs = 240_000;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

function command({ tier, isComposed, scenario }: Options, count: number, from: number): string {
  return `npm run chaos -- --runs ${count} --seed ${from} --tier ${tier}${isComposed ? ' --composed' : ''}${scenario === undefined ? '' : ` --scenario ${scenario}`}`;
}

function report(outcome: Outcome, options: Options): void {
  const { seed, name, findings, figures, wrong } = outcome;
  say(
    `${wrong.length === 0 ? 'held  ' : 'FAILED'} seed ${seed} ${name}: ${outcome.deposits} deposits and ${outcome.withdrawals} withdrawals ` +
      `acknowledged, ${findings.decided} decided, ${findings.revised} revised, ${outcome.creates} creates, at most ${figures.mostInSecond} in a second, ${outcome.seconds} s`,
  );
  if (options.json) say(JSON.stringify(outcome));
  if (wrong.length === 0) return;
  for (const line of wrong) say(`       ${line}`);
  say(`       the upstream was kept from counting for ${figures.longestStallMs.toFixed(0)} ms at most`);
  say(`       again: ${command(options, 1, seed)}`);
  say(`       after all that went before: ${command(options, seed - options.seed + 1, options.seed)}`);
}

async function runAll(options: Options): Promise<number> {
  let interrupted = false;
  process.once('SIGINT', () => {
    interrupted = true;
    say('interrupted; the run under way is finished first');
  });
  say(`${options.runs} runs on the ${options.tier} tier${options.isComposed ? ', composed,' : ''} from seed ${options.seed}; starting …`);
  const deployment = await startDeployment(options.tier, options);
  try {
    const history = new History(deployment);
    const [garbage, transfers] = [new Set<string>(), new Map<string, string>()];
    let failed = 0;
    for (let n = 0; n < options.runs && !interrupted; n += 1) {
      const outcome = await chaosRun(deployment, planOf(options.seed + n, options.scenario), { history, garbage, transfers, say });
      report(outcome, options);
      if (outcome.wrong.length === 0) continue;
      failed += 1;
      say(deployment.output());
    }
    // Check all runs again: late results and later faults must not have violated an earlier run.
    const findings = await history.read(transfers, garbage, endLimitMs);
    const wrong = wordsOf(findings);
    say(
      `In the end: ${transfers.size} transfers, ${findings.decided} decided, ${findings.revised} revised; ${wrong.join('; ') || 'nothing wrong'}.`,
    );
    return failed + (wrong.length === 0 ? 0 : 1);
  } finally {
    await deployment.close();
  }
}

async function main(): Promise<number> {
  const options = parse();
  if (options === undefined) {
    process.stdout.write(help);
    return 0;
  }
  if (options.logs !== undefined) mkdirSync(options.logs, { recursive: true });
  const failed = await runAll(options);
  say(failed === 0 ? 'All runs held.' : `${failed} did not hold.`);
  return failed === 0 ? 0 : 1;
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`chaos: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}
