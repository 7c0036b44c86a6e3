import type { Pool } from '@weir/postgres';
import { History } from '../chaos/checker.ts';
import type { Deployment } from '../chaos/deployment.ts';
import { wordsOf } from '../chaos/run.ts';
import { runWeir } from '../restore/drill.ts';
import { knownOf } from './chain-data.ts';
import type { Load } from './load.ts';
import type { Version } from './versions.ts';

const settleLimitMs = 120_000;

export interface Checked extends Pick<Deployment, 'auditDir' | 'open'> {
  /** Flags and settings of the command line on this installation. */
  readonly flags: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

export function createHistory(checked: Checked): History {
  return new History(checked, (address) => knownOf(address).level);
}

/** Violations after the last phase, in words. */
export async function findViolations(load: Load, history: History, checked: Checked, versions: readonly Version[]): Promise<string[]> {
  await load.redeemAgain();
  const ids = new Map([...load.transfers].map(([screening, { id }]) => [screening, id]));
  const findings = await history.read(ids, new Set(), settleLimitMs);
  const pipeline = await checked.open();
  try {
    const found = [...load.violations, ...wordsOf(findings), ...(await unexpectedActions(pipeline.pool, load))];
    for (const { name, root } of versions) {
      const verifying = runWeir(['audit', 'verify', ...checked.flags], checked.env, root);
      await verifying.catch((error: unknown) => found.push(`the audit log does not verify with ${name}: ${(error as Error).message}`));
    }
    return found;
  } finally {
    await pipeline.close();
  }
}

/** An action may be that of a later revision: a listed address is blocked before its score is known. */
async function unexpectedActions(pool: Pool, load: Load): Promise<string[]> {
  const { rows } = await pool.query<{ id: string; action: string }>('SELECT screening_id::text AS id, action FROM decision.screenings');
  return rows.flatMap(({ id, action }) => {
    const expected = load.transfers.get(id);
    if (expected === undefined) return [`screening ${id}, for which nobody asked`];
    return action === expected.action ? [] : [`${expected.id}: ${action}, not ${expected.action}`];
  });
}
