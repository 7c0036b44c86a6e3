import type { Command } from 'commander';
import { jsonOption, withDataDir } from '../flags.ts';

export function addDoctor(program: Command): void {
  const command = program
    .command('doctor')
    .description('look whether everything is as it should be, and print the settings in force')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Looks at this machine, the database, and where they are set Kafka, the schema registry and Redis. Changes nothing. Each finding is one line that says
what to do. Secrets are masked. Exit code 1 when something is wrong; a setting that is wrong is one line.

Examples:
  $ weir doctor
  $ weir doctor --data-dir /var/lib/weir --json | jq '.checks[] | select(.state != "ok")'`,
    );
  withDataDir(command).action(async (flags) => (await import('../doctor/run.ts')).examine(flags));
}
