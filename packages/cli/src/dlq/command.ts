import type { Command } from 'commander';
import { jsonOption, withDataDir } from '../flags.ts';

export function addDeadLetters(program: Command): void {
  const dlq = program.command('dlq').description('records that could not be processed (dead letters): list, show, replay');
  const list = dlq
    .command('list')
    .description('list dead letters with their reasons')
    .option('--topic <topic>', 'only of this topic')
    .addOption(jsonOption())
    .addHelpText('after', '\nExamples:\n  $ weir dlq list\n  $ weir dlq list --topic deposits.detected --json');
  withDataDir(list).action(async (flags) => (await import('./run.ts')).runList(flags));
  const show = dlq
    .command('show')
    .description('show one dead letter: reason, headers, bytes, and what they say when they can be read')
    .argument('<topic>', 'its topic')
    .argument('<offset>', 'its offset in the dead letter topic')
    .option('--raw', 'only the original bytes, unchanged')
    .addOption(jsonOption().conflicts('raw'))
    .addHelpText('after', '\nExamples:\n  $ weir dlq show deposits.detected 0\n  $ weir dlq show deposits.detected 0 --raw | xxd');
  withDataDir(show).action(async (topic, offset, flags) => (await import('./run.ts')).runShow(topic, offset, flags));
  const again = dlq
    .command('replay')
    .description('publish dead letters again to the topic they came from: key, bytes and headers as they were')
    .argument('<topic>', 'their topic')
    .argument('[offsets...]', 'their offsets in the dead letter topic')
    .option('--all', 'all present ones')
    .option('--reason <code>', 'only those with this reason')
    .option('--yes', 'do not ask for confirmation')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
The dead letters stay where they are, as evidence. Whoever reads the topic knows an event that it has dealt with before by its id,
so a repeat changes nothing; a record that still cannot be processed comes back as a new dead letter.

Examples:
  $ weir dlq replay deposits.detected 0 3
  $ weir dlq replay screenings.scored --all --reason UNDECODABLE --yes`,
    );
  withDataDir(again).action(async (topic, offsets, flags) => (await import('./run.ts')).runReplay(topic, offsets, flags));
}
