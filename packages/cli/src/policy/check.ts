import { loadPolicy } from '@weir/policy';
import { UsageError } from '../failure.ts';
import { print, printJson } from '../output.ts';

export async function checkPolicy(file: string, flags: { json?: true }): Promise<void> {
  // An empty name stands for the default policy elsewhere.
  if (file === '') throw new UsageError('which file is to be checked?');
  const { hash } = loadPolicy(file);
  await (flags.json ? printJson({ file, policy_hash: hash }) : print(`${hash}\n`));
}
