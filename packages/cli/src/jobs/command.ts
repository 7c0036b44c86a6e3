import type { Command } from 'commander';
import { jsonOption, withDataDir } from '../flags.ts';

export function addJobs(program: Command): void {
  const command = program
    .command('jobs')
    .description('show scheduled work: its last run, the result, how long it took, and when it runs next')
    .option('--forget <service/job>', 'remove a job that is not to run any more, so that no alert waits for it')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Trims, label lists, anchors and checkpoints of the audit log, erasures, backups and more, of every process. Exit code 1 when a job failed or is late.

Examples:
  $ weir jobs
  $ weir jobs --json | jq '.[] | select(.result == "failed")'
  $ weir jobs --forget 'weir/label-list un'`,
    );
  withDataDir(command).action(async (flags) => (await import('./run.ts')).showJobs(flags));
}
