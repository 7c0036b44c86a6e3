import type { Command } from 'commander';
import { jsonOption, withDataDir } from '../flags.ts';

export function addDoctor(program: Command): void {
  const command = program
    .command('doctor')
    .description('print the settings in force, secrets masked, and check the installation')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Checks what the start checks: settings, this machine, the database, and where they are set Kafka, the schema registry and Redis. Calls the risk API with
its key, which costs nothing. Changes nothing. Each finding is one line that says what to do. Exit code 1 when something is wrong.

Examples:
  $ weir doctor
  $ weir doctor --data-dir /var/lib/weir --json | jq '.checks[] | select(.state != "ok")'`,
    );
  withDataDir(command).action(async (flags) => (await import('./run.ts')).examine(flags));
}
