import type { Command } from 'commander';

export function addMigrate(program: Command): void {
  program
    .command('migrate')
    .description("update the schema of the database of DATABASE_URL, and give each service's role its privileges; as the owner")
    .addHelpText(
      'after',
      '\nRepeating it changes nothing, but for privileges that somebody else has changed. Services of the release before may run meanwhile.' +
        '\n\nExamples:\n  $ DATABASE_URL=postgres://weir:…@db/weir weir migrate',
    )
    .action(async () => (await import('./run.ts')).runMigrate());
}
