import { type Command, Option } from 'commander';
import { jsonOption, parseTime, withDataDir } from '../flags.ts';

const token =
  'WEIR_TOKEN holds your own token: what you do is done in its name. WEIR_CONSOLE_URL says where the console is, else the Weir of the data folder.';

export function addReviews(program: Command): void {
  const reviews = program.command('reviews').description('what is held: list, show, resolve and approve many, note, assign, due');
  const list = reviews
    .command('list')
    .description('list reviews, the oldest first unless sorted otherwise; without --state all that is held')
    .addOption(new Option('--state <state>', 'its state').choices(['open', 'pending_approval', 'approved', 'resolved']))
    .addOption(new Option('--kind <kind>', 'only of this kind').choices(['deposit', 'withdrawal']))
    .option('--assignee <name>', 'assigned to; none: to nobody')
    .option('--late', 'resolved, and a result came afterwards that nobody decided on')
    .option('--due <time>', 'due before then; overdue: before now')
    .addOption(new Option('--sort <order>', 'value: the largest first').choices(['oldest', 'newest', 'due', 'value']))
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
  addSingle(reviews);
}

/** Commands on one review. */
function addSingle(reviews: Command): void {
  const id = '5c1a4a0e-9a1f-5f0e-8f59-5b1d2a7c9e10';
  const one = (name: string, description: string, example: string): Command => {
    const command = reviews.command(name).description(description).argument('<screening-id>').addOption(jsonOption());
    return withDataDir(command.addHelpText('after', `\n${token}\n\nExamples:\n  $ weir reviews ${name} ${id}${example}`));
  };
  one('show', 'show one, with its decisions, resolutions and notes', '').action(async (screening, flags) =>
    (await import('./show.ts')).showReview(screening, flags),
  );
  one('note', 'add a note', ' "Asked the customer for a statement."')
    .argument('<text>')
    .action(async (screening, text, flags) => (await import('./plan.ts')).addNote(screening, text, flags));
  one('assign', 'assign it to a person; none: to nobody', ' Ann')
    .argument('<name>')
    .action(async (screening, name, flags) => (await import('./plan.ts')).assign(screening, name, flags));
  one('due', 'set the time by which it is due; none: no time', ' 2031-01-31T00:00:00Z')
    .argument('<time>', 'RFC 3339, or none', (text) => (text === 'none' ? null : parseTime(text)))
    .action(async (screening, due, flags) => (await import('./plan.ts')).setDue(screening, due, flags));
}

function withBulk(command: Command): Command {
  return command
    .argument('[file]', 'JSON list with screening_id and revision; - for stdin', '-')
    .addOption(new Option('--action <action>', 'allow or block').choices(['allow', 'block']).makeOptionMandatory())
    .option('--dry-run', 'only print the changes')
    .option('--yes', 'do not ask for confirmation')
    .addOption(jsonOption());
}
