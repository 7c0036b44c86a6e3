import { type Command, Option } from 'commander';
import { wholeNumber, withDataDir } from '../flags.ts';

export function addAudit(program: Command): void {
  const audit = program.command('audit').description('the audit log: export and verify');
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
  audit
    .command('verify')
    .description('verify an export without the installation: entries, tree, signature, and consistency with an earlier checkpoint')
    .argument('<file>', 'output of "weir audit export"')
    .option('--key <key...>', 'verifier key of the log (name+id+base64), got another way (default: the one in the file)')
    .option('--checkpoint <file>', 'an earlier checkpoint, which the log must begin with')
    .addHelpText(
      'after',
      '\nExit code 1: something does not verify; each problem is named.\n\nExamples:\n  $ weir audit verify audit.jsonl\n  $ weir audit verify audit.jsonl --key "$(cat audit.pub)" --checkpoint last-month.txt',
    )
    .action(async (file, flags) => (await import('./verify.ts')).verifyFile(file, flags));
}
