import { diffPolicies } from '@weir/policy';
import type { PlaceFlags } from '../flags.ts';
import { note, print, printJson } from '../output.ts';
import { isKept, parseNamed, textOf, withDecisions } from './resolve.ts';

export async function showDiff(from: string, to: string, flags: PlaceFlags & { json?: true }): Promise<void> {
  const needsInstallation = isKept(from) || isKept(to);
  const [before, after] = needsInstallation
    ? await withDecisions(flags, async ({ pool }) => [await textOf(from, pool), await textOf(to, pool)] as const)
    : ([await textOf(from), await textOf(to)] as const);
  const policies = [parseNamed(from, before), parseNamed(to, after)] as const;
  const changes = diffPolicies(...policies);
  if (flags.json) return printJson({ from: policies[0].hash, to: policies[1].hash, changes });
  for (const { text } of changes) await print(`${text}\n`);
  if (changes.length === 0)
    note(policies[0].hash === policies[1].hash ? 'They are the same.' : 'They decide the same; only their text differs.');
}
