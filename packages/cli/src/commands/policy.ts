import type { Command } from 'commander';
import { jsonOption } from '../flags.ts';

export function addPolicy(program: Command): void {
  const policy = program.command('policy').description('policies: check');
  policy
    .command('check')
    .description('check a policy file; prints its hash when it can be used')
    .argument('<file>', 'policy file (YAML)')
    .addOption(jsonOption())
    .addHelpText('after', '\nExamples:\n  $ weir policy check policy.yaml\n  $ WEIR_POLICY_FILE=policy.yaml weir start')
    .action(async (file, flags) => (await import('../policy/check.ts')).checkPolicy(file, flags));
}
