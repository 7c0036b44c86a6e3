import { type Command, InvalidArgumentError, Option } from 'commander';
import { jsonOption, wholeNumber, withDataDir } from '../flags.ts';

const erases =
  'Console and audit-writer must run: the act comes into the audit log before anything is erased. An interrupted run goes on when it is repeated.';

export function addPrivacy(program: Command): void {
  const privacy = program
    .command('privacy')
    .description('personal data: erase a customer with two people, erase what need not be kept any more');
  addErase(privacy);
  addApprove(privacy);
  addList(privacy);
  addUpkeep(privacy);
}

function addErase(privacy: Command): void {
  const erase = privacy
    .command('erase')
    .description('propose to erase all that is kept of a customer; another person erases it with "weir privacy approve"')
    .requiredOption('--user <id>', 'the customer: user_id of the transfers')
    .requiredOption('--reason <text>', 'why; it stays in the audit log for good, so it must not name the customer')
    .option('--before-retention-ends', 'although WEIR_RETENTION_DECISIONS_DAYS have not passed; only with WEIR_PRIVACY_EARLY_ERASURE')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      '\nWEIR_TOKEN holds your own token, of the role reviewer or approver. Refused while a transfer waits for people, a case is open, or records must be kept.\n\nExamples:\n  $ weir privacy erase --user u-1 --reason "request of 2031-01-31"\n  $ weir privacy erase --user u-1 --reason "entered by mistake" --before-retention-ends',
    );
  withDataDir(erase).action(async (flags) => (await import('./run.ts')).propose(flags));
}

function addApprove(privacy: Command): void {
  const approve = privacy
    .command('approve')
    .description('erase what another person has proposed; this cannot be undone')
    .argument('<erasure>', 'its id, or the first 6 digits or more', parseErasure)
    .option('--yes', 'do not ask for confirmation')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `\nWEIR_TOKEN holds your own token, of the role approver. The person who proposed it cannot approve it.\n${erases}\n\nExamples:\n  $ weir privacy approve 3f9a1c\n  $ weir privacy approve 3f9a1c0b --yes --json`,
    );
  withDataDir(approve).action(async (erasure, flags) => (await import('./run.ts')).approve(erasure, flags));
}

function addList(privacy: Command): void {
  const list = privacy
    .command('list')
    .description('list requests to erase, the latest first; a customer is named until all is erased')
    .addOption(jsonOption())
    .addHelpText('after', '\nExamples:\n  $ weir privacy list\n  $ weir privacy list --json');
  withDataDir(list).action(async (flags) => (await import('./run.ts')).list(flags));
}

function addUpkeep(privacy: Command): void {
  const expire = privacy
    .command('expire')
    .description(
      'erase transfers and decisions that are older than WEIR_RETENTION_DECISIONS_DAYS, and what an interrupted erasure has left; "weir start" does it each day',
    )
    .option('--daily', 'go on, and do it each day')
    .addOption(
      new Option('--every-hours <count>', 'when the next run is due: without it an alert fires, and weir jobs says so')
        .argParser(wholeNumber(1))
        .conflicts('daily'),
    )
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `\n${erases}\n\nExamples:\n  $ weir privacy expire\n  $ weir privacy expire --daily
  $ weir privacy expire --every-hours 24
  $ WEIR_RETENTION_DECISIONS_DAYS=3653 weir privacy expire --json`,
    );
  withDataDir(expire).action(async (flags) => (await import('./run.ts')).expire(flags));
}

function parseErasure(text: string): string {
  if (/^[0-9a-f-]{6,36}$/i.test(text)) return text.toLowerCase();
  throw new InvalidArgumentError('It must be the id of an erasure, or its first 6 digits or more.');
}
