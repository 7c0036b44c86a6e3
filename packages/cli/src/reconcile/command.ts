import type { Command } from 'commander';
import { jsonOption, wholeNumber, withDataDir } from '../flags.ts';

export function addReconcile(program: Command): void {
  const command = program
    .command('reconcile')
    .description('compare a restored database with everything outside it, mend or name each difference, and open the gate again')
    .option('--dry-run', 'only compare; exit code 1 if there is a difference')
    .option(
      '--budget-used <count>',
      'creates that the provider counts today (default: as many as could be sent since the last one that is known)',
      wholeNumber(0),
    )
    .option('--yes', 'do not ask for confirmation')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
After a restore no service works until this command has ended. It may also run on a database that was not restored: then it only compares and mends.
Set WEIR_PERMIT_JOURNAL and WEIR_AUDIT_DIR as the services have them; after the restore of a database of your own both folders must be there.
docs/backup.md lists each difference. Exit code 1: a difference that nobody can mend is named, and the gate is open all the same.

Examples:
  $ weir reconcile --dry-run
  $ weir reconcile --yes --budget-used 1200 --data-dir .weir`,
    );
  withDataDir(command).action(async (flags) => (await import('./run.ts')).runReconcile(flags));
}
