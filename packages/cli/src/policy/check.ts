import { PolicyError, parsePolicy, readPolicy } from '@weir/policy';
import { UsageError } from '../failure.ts';
import { print, printJson } from '../output.ts';
import { parseNamed } from './resolve.ts';

export async function checkPolicy(file: string, flags: { json?: true }): Promise<void> {
  // Elsewhere an empty name means the default policy.
  if (file === '') throw new UsageError('name the policy file to check');
  if (flags.json) return checkJson(file);
  const { hash } = parseNamed(file, readPolicy(file));
  await print(`${hash}\n`);
}

async function checkJson(file: string): Promise<void> {
  try {
    const { hash } = parsePolicy(readPolicy(file));
    await printJson({ file, policy_hash: hash, problems: [] });
  } catch (error) {
    if (!(error instanceof PolicyError) || error.problems.length === 0) throw error;
    await printJson({ file, policy_hash: null, problems: error.problems });
    process.exitCode = 1;
  }
}
