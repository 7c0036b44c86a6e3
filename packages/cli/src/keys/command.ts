import { type Command, Option } from 'commander';
import { jsonOption, parseTime, wholeNumber, withDataDir } from '../flags.ts';

export function addKeys(program: Command): void {
  const keys = program.command('keys').description('keys of the risk API and tokens of the pipeline: create, ensure, list, revoke');
  addCreate(keys);
  addEnsure(keys);
  addList(keys);
  addRevoke(keys);
}

function addCreate(keys: Command): void {
  const create = keys
    .command('create')
    .description(
      'create a key for a surface of the risk API, or a token with a role for the pipeline; it is printed once and stored as a hash',
    )
    .addOption(new Option('--surface <surface>', 'surface of the risk API').choices(['standard', 'sandbox']).conflicts('role'))
    .option('--role <role>', 'role in the pipeline: ingest, gate, reviewer, approver, auditor or admin')
    .option('--name <name>', 'what it is for')
    .addOption(
      new Option(
        '--person <name>',
        'whose token it is; required for reviewer and approver: tokens of one name are one pair of eyes',
      ).conflicts(['name', 'surface']),
    )
    .addOption(
      new Option('--per-second <n>', 'calls in any sliding second (default: 10); of a token: requests (default: WEIR_TOKEN_PER_SECOND)')
        .argParser(wholeNumber(1, 1_000_000))
        .conflicts('unlimited'),
    )
    .addOption(
      new Option('--per-day <n>', 'calls in a UTC day (default: 10000); of a token: lookups (default: WEIR_TOKEN_SHARE_OF_DAY)')
        .argParser(wholeNumber(1, 2_147_483_647))
        .conflicts('unlimited'),
    )
    .addOption(new Option('--unlimited', 'no limit of calls, for a customer who has a budget of its own').conflicts('role'))
    .addOption(new Option('--expires <time>', 'when the key ends, RFC 3339').argParser(parseTime).conflicts('role'))
    .addOption(jsonOption())
    .addHelpText(
      'after',
      '\nExamples:\n  $ weir keys create --surface standard --name "wallet team" --per-second 10 --per-day 10000\n  $ weir keys create --role ingest --name "deposit watcher" > ingest.token\n  $ weir keys create --role approver --person "Ada Example" --json',
    );
  withDataDir(create).action(async (flags) => (await import('./run.ts')).runCreate(flags));
}

function addEnsure(keys: Command): void {
  const ensure = keys
    .command('ensure')
    .description(
      'create a file with a token for each role and a key for each surface, or add what it lacks, and store them in the database',
    )
    .argument('<file>', 'JSON: tokens by role, standard_api_key, sandbox_api_key')
    .requiredOption('--name <name>', 'what they are for, and the one person who has the tokens for reviewer and approver')
    .addHelpText(
      'after',
      '\nRepeating it changes nothing; a new database takes an old file. What was revoked stays so.' +
        '\n\nExamples:\n  $ weir keys ensure credentials.json --name "docker compose"',
    );
  withDataDir(ensure).action(async (file, flags) => (await import('./run.ts')).runEnsure(file, flags));
}

function addList(keys: Command): void {
  const list = keys
    .command('list')
    .description('list keys and tokens; none is shown, only its id')
    .addOption(jsonOption())
    .addHelpText('after', "\nExamples:\n  $ weir keys list\n  $ weir keys list --json | jq '.[] | select(.revoked_at == null)'");
  withDataDir(list).action(async (flags) => (await import('./run.ts')).runList(flags));
}

function addRevoke(keys: Command): void {
  const revoke = keys
    .command('revoke')
    .description('revoke a key or a token; this cannot be undone')
    .argument('<id>', 'its id, or the first 6 digits or more')
    .option('--yes', 'do not ask for confirmation')
    .addHelpText('after', '\nExamples:\n  $ weir keys revoke 3f9a1c\n  $ weir keys revoke 3f9a1c0b2d4e5f60 --yes');
  withDataDir(revoke).action(async (id, flags) => (await import('./run.ts')).runRevoke(id, flags));
}
