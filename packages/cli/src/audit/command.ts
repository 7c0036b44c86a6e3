import { type Command, InvalidArgumentError, Option } from 'commander';
import { jsonOption, keepFormulas, parseTime, wholeNumber, withDataDir } from '../flags.ts';

export function addAudit(program: Command): void {
  const audit = program.command('audit').description('the audit log: export, prove and verify');
  addExport(audit);
  addProve(audit);
  addVerify(audit);
}

function addExport(audit: Command): void {
  const command = audit
    .command('export')
    .description('write entries of the audit log to stdout; JSON lines end with the signed checkpoint, and can be verified')
    .addOption(new Option('--format <format>', 'form of the output').choices(['jsonl', 'parquet', 'csv']).default('jsonl'))
    .addOption(new Option('--from <index>', 'first entry').argParser(wholeNumber(0)).default(0))
    .option('--since <time>', 'events of then or later (RFC 3339)', parseTime)
    .option('--until <time>', 'events before then (RFC 3339)', parseTime)
    .option('--screening <id>', 'events of this screening', parseUuid)
    .option('--keep-formulas', keepFormulas)
    .addHelpText(
      'after',
      '\nA part of the log has a proof for each entry.\n\nExamples:\n  $ weir audit export > audit.jsonl\n  $ weir audit export --from 12000 --data-dir /var/lib/weir >> audit.jsonl\n  $ weir audit export --since 2031-01-01T00:00:00Z --until 2031-02-01T00:00:00Z --format parquet > january.parquet',
    );
  withDataDir(command).action(async (flags) => (await import('./export.ts')).exportAll(flags));
}

function addProve(audit: Command): void {
  const command = audit
    .command('prove')
    .description('write one event with the proof that the signed tree has it; "weir audit verify" reads the output')
    .argument('<event-id>', 'ce_id of the event, as in "audit" of a screening', parseUuid)
    .addHelpText(
      'after',
      '\nExamples:\n  $ weir audit prove 16fd2706-8baf-533b-a82b-bb81c2b3ee25 > proof.jsonl\n  $ weir audit verify proof.jsonl',
    );
  withDataDir(command).action(async (eventId, flags) => (await import('./prove.ts')).prove(eventId, flags));
}

function addVerify(audit: Command): void {
  const command = audit
    .command('verify')
    .description(
      'verify entries, tree, signature, consistency with an earlier checkpoint, and that each decision follows from its evidence and policy',
    )
    .argument(
      '[file]',
      'output of "weir audit export" or "weir audit prove", verified without the installation (default: the installation itself)',
    )
    .option(
      '--key <key...>',
      'verifier key of the log (name+id+base64), got another way (default: the one in the file, or beside the signing key)',
    )
    .option('--checkpoint <file>', 'an earlier checkpoint, which the log must begin with')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      '\nExit code 1: something does not verify; each problem is named.\n\nExamples:\n  $ weir audit verify audit.jsonl\n  $ weir audit verify audit.jsonl --key "$(cat audit-key.pub)" --checkpoint last-month.txt\n  $ weir audit verify --data-dir .weir',
    );
  withDataDir(command).action(async (file, flags) => (await import('./verify.ts')).verify(file, flags));
}

function parseUuid(text: string): string {
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)) return text.toLowerCase();
  throw new InvalidArgumentError('It must be a UUID.');
}
