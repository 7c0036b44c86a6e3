import { type Command, InvalidArgumentError, Option } from 'commander';
import { jsonOption, wholeNumber, withDataDir } from '../flags.ts';

const named = 'A policy is a file, the hash of a version that was kept (6 digits or more), active, shadow or default.';

export function addPolicy(program: Command): void {
  const policy = program.command('policy').description('policies: check, compare, put in force, try beside it, replay');
  addFiles(policy);
  addVersions(policy);
  addReplays(policy);
}

function addFiles(policy: Command): void {
  policy
    .command('check')
    .description('check a policy file; prints its hash when it can be used, and else every fault with its line and column')
    .argument('<file>', 'policy file (YAML)')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      '\nExamples:\n  $ weir policy check policy.yaml\n  $ weir policy check policy.yaml && weir policy activate policy.yaml',
    )
    .action(async (file, flags) => (await import('./check.ts')).checkPolicy(file, flags));
  const diff = policy
    .command('diff')
    .description('describe how another policy decides differently')
    .argument('<from>', 'policy before')
    .argument('<to>', 'policy after')
    .addOption(jsonOption())
    .addHelpText('after', `\n${named}\n\nExamples:\n  $ weir policy diff active policy.yaml\n  $ weir policy diff old.yaml new.yaml`);
  withDataDir(diff).action(async (from, to, flags) => (await import('./diff.ts')).showDiff(from, to, flags));
}

function addVersions(policy: Command): void {
  const list = policy
    .command('list')
    .description('list what was in force since when, the present first')
    .addOption(jsonOption())
    .addHelpText('after', '\nExamples:\n  $ weir policy list\n  $ weir policy list --json');
  withDataDir(list).action(async (flags) => (await import('./versions.ts')).listVersions(flags));
  const show = policy
    .command('show')
    .description('print a version that was kept, byte for byte')
    .argument('<policy>', 'its hash, or active, shadow or default')
    .addHelpText('after', '\nExamples:\n  $ weir policy show active\n  $ weir policy show 3f9a1c > before.yaml');
  withDataDir(show).action(async (name, flags) => (await import('./versions.ts')).showVersion(name, flags));
  const activate = policy
    .command('activate')
    .description('propose a policy; another person puts it in force with "weir policy approve"')
    .argument('<policy>', 'policy')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `\n${named}\nWEIR_TOKEN holds your own token, of the role reviewer or approver. A wrong policy is not proposed.\n\nExamples:\n  $ weir policy activate policy.yaml\n  $ weir policy activate 3f9a1c`,
    );
  withDataDir(activate).action(async (name, flags) => (await import('./versions.ts')).activate(name, flags));
  const approve = policy
    .command('approve')
    .description('put the proposed policy in force, at every replica and without a restart')
    .argument('<hash>', 'its hash, or the first 6 digits or more')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      '\nWEIR_TOKEN holds your own token, of the role approver. Whoever proposed the policy cannot approve it.\nOnce this has ended, no decision is made by the policy before.\n\nExamples:\n  $ weir policy approve 3f9a1c',
    );
  withDataDir(approve).action(async (hash, flags) => (await import('./versions.ts')).approve(hash, flags));
  const reject = policy
    .command('reject')
    .description('end the proposal that waits')
    .argument('<hash>', 'its hash, or the first 6 digits or more')
    .requiredOption('--reason <text>', 'why')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      "\nWEIR_TOKEN holds your own token, of the role reviewer or approver. Whoever proposed the policy may reject it, too.\n\nExamples:\n  $ weir policy reject 3f9a1c --reason 'the limit is too high'",
    );
  withDataDir(reject).action(async (hash, flags) => (await import('./versions.ts')).reject(hash, flags));
  const shadow = policy
    .command('shadow')
    .description('let a candidate run beside the active policy, without effect; or look where it would have decided otherwise')
    .argument('[policy]', 'candidate')
    .addOption(new Option('--off', 'end it').conflicts('disagreements'))
    .option('--disagreements', 'count what it would have decided otherwise, and list the latest')
    .addOption(new Option('--since <time>', 'decided since then').argParser(parseDate))
    .addOption(new Option('--limit <n>', 'maximum number of rows').argParser(wholeNumber(1, 10_000)).default(20))
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `\n${named}\n\nExamples:\n  $ weir policy shadow candidate.yaml\n  $ weir policy shadow --disagreements --since 2031-01-31\n  $ weir policy shadow --off`,
    );
  withDataDir(shadow).action(async (name, flags) =>
    flags.disagreements
      ? (await import('./disagreements.ts')).showDisagreements(flags)
      : (await import('./versions.ts')).runShadow(name, flags),
  );
}

function addReplays(policy: Command): void {
  const backtest = withSelection(
    policy.command('backtest').description('apply a policy to stored results: what was decided, and what would be'),
  )
    .requiredOption('--policy <policy>', 'policy to apply')
    .option('--list <cell>', 'list the transfers behind one cell, OLD:NEW')
    .addOption(new Option('--limit <n>', 'maximum number of rows').argParser(wholeNumber(1, 10_000)).default(50))
    .option('--cursor <place>', 'continue a list at this cursor')
    .addHelpText(
      'after',
      `\n${named}\nOf each screening the last decision that the policy made counts.\n\nExamples:\n  $ weir policy backtest --policy new.yaml --since 2031-01-01\n  $ weir policy backtest --policy new.yaml --since 2031-01-01 --list allow:review --limit 100 --json`,
    );
  withDataDir(backtest).action(async (flags) => (await import('./backtest.ts')).runBacktest(flags));
  const replay = withSelection(
    policy.command('replay').description('make stored decisions again, each by the policy it names, and compare them byte for byte'),
  ).addHelpText(
    'after',
    '\nExit code 1: one of them differs.\n\nExamples:\n  $ weir policy replay --since 2031-01-01\n  $ weir policy replay --since 2031-01-01 --json',
  );
  withDataDir(replay).action(async (flags) => (await import('./replay.ts')).runReplay(flags));
  const held = policy
    .command('held')
    .description('list held transfers that a policy would allow; releasing them takes a review by two people')
    .option('--policy <policy>', 'policy to apply', 'active')
    .addOption(kindOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `\n${named}\n\nExamples:\n  $ weir policy held\n  $ weir policy held --policy new.yaml --json | jq -r '.[].screening_id'`,
    );
  withDataDir(held).action(async (flags) => (await import('./held.ts')).listHeld(flags));
}

function withSelection(command: Command): Command {
  return command
    .addOption(new Option('--since <time>', 'decided since then, a day or RFC 3339').argParser(parseDate).makeOptionMandatory())
    .addOption(new Option('--until <time>', 'decided before then').argParser(parseDate))
    .addOption(kindOption())
    .addOption(jsonOption());
}

function kindOption(): Option {
  return new Option('--kind <kind>', 'only these').choices(['deposit', 'withdrawal']);
}

function parseDate(text: string): Date {
  const isTime = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2}))?$/i.test(text);
  const time = isTime ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time)) throw new InvalidArgumentError('It must be a day such as 2031-01-31, or a time such as 2031-01-31T12:00:00Z.');
  return new Date(time);
}
