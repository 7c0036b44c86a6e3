import {
  approvePolicy,
  keptPolicy,
  type PolicyChangeRow,
  policyChanges,
  policyInForce,
  proposePolicy,
  rejectionReason,
  rejectPolicy,
  shadowPolicy,
} from '@weir/decision';
import { diffPolicies } from '@weir/policy';
import type { Pool } from '@weir/postgres';
import { UsageError } from '../failure.ts';
import type { PlaceFlags } from '../flags.ts';
import { operator } from '../operator.ts';
import { note, print, printJson, table } from '../output.ts';
import { personOf } from '../person.ts';
import { parseNamed, textOf, withDecisions } from './resolve.ts';

export async function listVersions(flags: PlaceFlags & { json?: true }): Promise<void> {
  await withDecisions(flags, async ({ pool }) => {
    const changes = await policyChanges(pool);
    if (flags.json) return printJson(changes);
    const rows = changes.map((row) => [
      String(row.number),
      row.changed_at.toISOString(),
      row.active.slice(0, 12),
      row.active_by,
      row.shadow?.slice(0, 12) ?? '-',
    ]);
    return print(table(['CHANGE', 'SINCE', 'ACTIVE', 'SET BY', 'CANDIDATE'], rows));
  });
}

export async function showVersion(name: string, flags: PlaceFlags): Promise<void> {
  await withDecisions(flags, async ({ pool }) => print(await textOf(name, pool)));
}

export async function activate(name: string, flags: PlaceFlags & { json?: true }): Promise<void> {
  await withDecisions(flags, async ({ pool }, { token }) => {
    const text = await textOf(name, pool);
    const { hash } = parseNamed(name, text);
    const by = await personOf(pool, token, { what: 'a policy', roles: ['reviewer', 'approver'] });
    await tellChanges(pool, text);
    const proposal = await proposePolicy(pool, text, by);
    if (flags.json) return printJson(proposal);
    note(`Proposed: ${hash}. It is not in force yet. Another person puts it in force: weir policy approve ${hash.slice(0, 12)}`);
  });
}

export async function approve(hash: string, flags: PlaceFlags & { json?: true }): Promise<void> {
  checkHash(hash);
  await withDecisions(flags, async ({ pool }, { token }) => {
    const by = await personOf(pool, token, { what: 'a policy', roles: ['approver'] });
    const kept = await keptPolicy(pool, hash);
    if (kept !== undefined) await tellChanges(pool, kept.text);
    const row = await approvePolicy(pool, hash, by);
    if (flags.json) return printJson(row);
    note(`In force from now on: ${row.active}. "weir policy held" lists held transfers that it would release.`);
  });
}

export async function reject(hash: string, flags: PlaceFlags & { reason: string; json?: true }): Promise<void> {
  checkHash(hash);
  const { data: reason } = rejectionReason.safeParse(flags.reason);
  if (reason === undefined) throw new UsageError('--reason must have 1 to 2,000 characters');
  await withDecisions(flags, async ({ pool }, { token }) => {
    const by = await personOf(pool, token, { what: 'a policy', roles: ['reviewer', 'approver'] });
    const proposal = await rejectPolicy(pool, hash, reason, by);
    if (flags.json) return printJson(proposal);
    note(`Rejected: ${proposal.policy_hash}. The policy in force stays.`);
  });
}

function checkHash(hash: string): void {
  if (!/^[0-9a-f]{6,64}$/.test(hash)) throw new UsageError('name the proposed policy by its hash, or by its first 6 digits or more');
}

/** Describes the differences to the policy in force. */
async function tellChanges(pool: Pool, text: string): Promise<void> {
  const inForce = await policyInForce(pool);
  if (inForce === undefined) return;
  const before = parseNamed('the policy in force', await textOf(inForce.active, pool));
  for (const change of diffPolicies(before, parseNamed('the policy', text))) note(`  ${change.text}`);
}

interface ShadowFlags extends PlaceFlags {
  readonly off?: true;
  readonly json?: true;
}

export async function runShadow(name: string | undefined, flags: ShadowFlags): Promise<void> {
  if (name !== undefined && flags.off) throw new UsageError('give a policy, or --off');
  await withDecisions(flags, async ({ pool }) => {
    const row = await applyShadow(pool, name, flags);
    if (flags.json) return printJson(row ?? null);
    note(row?.shadow ? `The candidate ${row.shadow} runs beside ${row.active}.` : 'No candidate runs.');
  });
}

async function applyShadow(pool: Pool, name: string | undefined, flags: ShadowFlags): Promise<PolicyChangeRow | undefined> {
  if (flags.off) return shadowPolicy(pool, null, operator());
  if (name === undefined) return policyInForce(pool);
  const text = await textOf(name, pool);
  parseNamed(name, text);
  return shadowPolicy(pool, text, operator());
}
