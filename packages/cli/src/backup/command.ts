import { type Command, InvalidArgumentError, Option } from 'commander';
import { jsonOption, parseTime, wholeNumber, withDataDir } from '../flags.ts';

export function addBackup(program: Command): void {
  const command = program
    .command('backup')
    .description('copy the embedded database into WEIR_BACKUP_DIR, while it works; its WAL goes there all the time')
    .option('--keep <count>', 'afterwards remove all but the latest backups, and the WAL that only they need', wholeNumber(1))
    .option('--every-hours <count>', 'when the next backup is due: without it an alert fires, and weir jobs says so', wholeNumber(1))
    .option('--list', 'only list the backups')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
WEIR_BACKUP_DIR must be set when Weir starts. A production database has tools of its own (pgBackRest, WAL-G); docs/backup.md says how they and Weir go together.

Examples:
  $ weir backup --keep 7 --every-hours 24
  $ weir backup --list --json`,
    );
  withDataDir(command).action(async (flags) => (await import('./run.ts')).runBackup(flags));
}

export function addRestore(program: Command): void {
  const command = program
    .command('restore')
    .description('bring the embedded database back from WEIR_BACKUP_DIR, to the latest or to a point; Weir must be stopped')
    .option('--from <folder>', 'the folder of the backups (default: WEIR_BACKUP_DIR, else the one that the data folder names)')
    .addOption(new Option('--to <time>', 'all that was committed by then (RFC 3339); default: the latest').argParser(parseTime))
    .addOption(new Option('--to-name <name>', 'a restore point of pg_create_restore_point').conflicts(['to', 'toLsn']))
    .addOption(new Option('--to-lsn <lsn>', 'a place in the WAL').argParser(parseLsn).conflicts(['to', 'toName']))
    .option('--yes', 'do not ask for confirmation')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
The database that is there is kept beside it, as postgres.before-TIME. Its newest WAL is used too, so that the latest point loses nothing.
Keys, credentials and the journal of permits are no part of a backup: they stay in the data folder. Afterwards no service works until "weir reconcile" has ended.

Examples:
  $ weir restore --yes && weir reconcile --yes
  $ weir restore --to 2031-01-31T09:15:00Z
  $ weir restore --data-dir /tmp/rehearsal --from /mnt/backups`,
    );
  withDataDir(command).action(async (flags) => (await import('./run.ts')).runRestore(flags));
}

function parseLsn(text: string): string {
  if (/^[0-9A-F]{1,8}\/[0-9A-F]{1,8}$/i.test(text)) return text;
  throw new InvalidArgumentError('It must be a place in the WAL such as 0/3000148.');
}
