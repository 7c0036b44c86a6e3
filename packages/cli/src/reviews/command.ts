import { type Command, Option } from 'commander';
import { jsonOption, withDataDir } from '../flags.ts';

const token =
  'WEIR_TOKEN holds your own token: what you do is done in its name. WEIR_CONSOLE_URL says where the console is, else the Weir of the data folder.';

export function addReviews(program: Command): void {
  const reviews = program.command('reviews').description('what is held: list it, resolve many, approve many');
  const list = reviews
    .command('list')
    .description('list reviews, the oldest first; without --state all that is held')
    .addOption(new Option('--state <state>', 'its state').choices(['open', 'pending_approval', 'approved', 'resolved']))
    .addOption(new Option('--kind <kind>', 'only of this kind').choices(['deposit', 'withdrawal']))
    .option('--assignee <name>', 'assigned to; none: to nobody')
    .option('--late', 'resolved, and a result came afterwards that nobody decided on')
    .option('--due <time>', 'due before then; overdue: before now')
    .addOption(jsonOption())
    .addHelpText('after', `\n${token}\n\nExamples:\n  $ weir reviews list\n  $ weir reviews list --state pending_approval --json`);
  withDataDir(list).action(async (flags) => (await import('./list.ts')).listReviews(flags));
  const resolve = withBulk(reviews.command('resolve').description('resolve each held transfer of a list; another person must approve'))
    .requiredOption('--reason <text>', 'the reason, stored with each')
    .addHelpText(
      'after',
      `\n${token}\nThe same again goes on where it was.\n\nExamples:\n  $ weir policy held --json > held.json\n  $ weir reviews resolve held.json --action allow --reason "policy of 3 March" --dry-run\n  $ weir policy held --json | weir reviews resolve --action allow --reason "policy of 3 March" --yes`,
    );
  withDataDir(resolve).action(async (file, flags) => (await import('./resolve.ts')).resolveAll(file, flags));
  const approve = withBulk(reviews.command('approve').description('approve, or reject, what another person has resolved'))
    .option('--reject', 'reject instead; each review is open again')
    .option('--reason <text>', 'the reason, stored with each')
    .addHelpText(
      'after',
      `\n${token}\nWhat was resolved with another action, or by yourself, is left alone.\n\nExamples:\n  $ weir reviews approve held.json --action allow\n  $ weir reviews list --state pending_approval --json | weir reviews approve --action allow --yes`,
    );
  withDataDir(approve).action(async (file, flags) => (await import('./approve.ts')).approveAll(file, flags));
}

function withBulk(command: Command): Command {
  return command
    .argument('[file]', 'JSON list with screening_id and revision; - for stdin', '-')
    .addOption(new Option('--action <action>', 'allow or block').choices(['allow', 'block']).makeOptionMandatory())
    .option('--dry-run', 'only print the changes')
    .option('--yes', 'do not ask for confirmation')
    .addOption(jsonOption());
}
