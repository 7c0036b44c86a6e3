import { type Command, Option } from 'commander';
import { wholeNumber, withDataDir } from '../flags.ts';

export function addAudit(program: Command): void {
  const audit = program.command('audit').description('the audit log: export');
  const command = audit
    .command('export')
    .description('write every entry of the audit log to stdout, one JSON object a line')
    .addOption(new Option('--format <format>', 'form of the output').choices(['jsonl']).default('jsonl'))
    .addOption(new Option('--from <index>', 'first entry').argParser(wholeNumber(0)).default(0))
    .addHelpText(
      'after',
      '\nExamples:\n  $ weir audit export > audit.jsonl\n  $ weir audit export --from 12000 --data-dir /var/lib/weir >> audit.jsonl',
    );
  withDataDir(command).action(async (flags) => (await import('./export.ts')).exportAll(flags));
}
