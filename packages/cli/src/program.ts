import { Command } from 'commander';
import { addAudit } from './audit/command.ts';
import { addBackup, addRestore } from './backup/command.ts';
import { addChains } from './chains/command.ts';
import { addCoins } from './coins/command.ts';
import { addCompletion } from './completion.ts';
import { addDeadLetters } from './dlq/command.ts';
import { addDoctor } from './doctor/command.ts';
import { addJobs } from './jobs/command.ts';
import { addKeys } from './keys/command.ts';
import { addLabels } from './labels/command.ts';
import { addMcp } from './mcp/command.ts';
import { addMigrate } from './migrate/command.ts';
import { addPayments } from './payments/command.ts';
import { addPolicy } from './policy/command.ts';
import { addReconcile } from './reconcile/command.ts';
import { addReviews } from './reviews/command.ts';
import { addScreen } from './screen/command.ts';
import { addScreenings } from './screenings/command.ts';
import { addSettings } from './settings/command.ts';
import { addStart } from './start/command.ts';
import { addTopics } from './topics/command.ts';
import { addTrace } from './trace/command.ts';
import { addTransfers } from './transfers/command.ts';
import { addPrivacy } from './privacy/command.ts';
import { addProviders } from './providers/command.ts';
import { addUsers } from './users/command.ts';
import { addWatch } from './watch/command.ts';
import { addWebhooks } from './webhooks/command.ts';
import { Interrupted, lineOf, OutputClosed, UsageError } from './failure.ts';
import { watchOutput } from './output.ts';
import { version } from './version.ts';

const epilogue = `
Data goes to stdout, messages to stderr. Exit codes: 0 done, 1 failed or found something wrong, 2 wrong usage.
Every setting is an environment variable; "weir settings" lists them.`;

/** Every command, without running one. */
export function createProgram(): Command {
  const program = new Command('weir').description('Screens every deposit and withdrawal of an exchange.');
  program.version(version).addHelpText('after', epilogue).exitOverride();
  for (const add of [
    addStart,
    addMigrate,
    addScreen,
    addLabels,
    addTransfers,
    addTrace,
    addChains,
    addWatch,
    addCoins,
    addPolicy,
    addScreenings,
    addProviders,
    addUsers,
    addReviews,
    addMcp,
    addWebhooks,
    addAudit,
    addPrivacy,
    addKeys,
    addPayments,
    addDeadLetters,
    addTopics,
    addBackup,
    addRestore,
    addReconcile,
    addJobs,
    addDoctor,
    addSettings,
  ])
    add(program);
  addCompletion(program);
  withUsageHint(program);
  return program;
}

function withUsageHint(command: Command): void {
  command.showHelpAfterError(hintOf(command));
  for (const each of command.commands) withUsageHint(each);
}

function hintOf(command: Command): string {
  const names: string[] = [];
  for (let at: Command | null = command; at !== null; at = at.parent) names.unshift(at.name());
  return `Run '${names.join(' ')} --help' for usage.`;
}

/** Exit code: 0 for success, 1 for a failure, 2 for wrong usage. */
export async function run(args: readonly string[]): Promise<void> {
  watchOutput();
  const program = createProgram();
  let running = program;
  program.hook('preAction', (_, action) => {
    running = action;
  });
  try {
    await program.parseAsync([...args], { from: 'user' });
  } catch (error) {
    process.exitCode = await exitCodeOf(error, hintOf(running));
  }
  // Handles that a failed start left open must not keep the process alive.
  if (process.exitCode !== undefined && process.exitCode !== 0) process.exit();
}

async function exitCodeOf(error: unknown, hint: string): Promise<number> {
  const code = (error as { code?: unknown }).code;
  if (typeof code === 'string' && code.startsWith('commander.')) return (error as { exitCode: number }).exitCode === 0 ? 0 : 2;
  if (error instanceof OutputClosed) return 0;
  if (error instanceof Interrupted && error.message === '') return 130;
  if (!(error instanceof UsageError)) {
    // Loaded lazily: help and usage errors need no heavy package.
    const { databaseError } = await import('@weir/postgres');
    error = databaseError(error);
  }
  process.stderr.write(`weir: ${lineOf(error)}\n`);
  if (error instanceof Interrupted) return 130;
  if (!(error instanceof UsageError)) return 1;
  process.stderr.write(`${hint}\n`);
  return 2;
}
