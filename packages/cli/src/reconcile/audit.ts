import { randomBytes } from 'node:crypto';
import { reconcileTree } from '@weir/audit-writer';
import { auditDirOf } from '@weir/installation';
import type { Difference } from './difference.ts';
import type { Reconciling } from './run.ts';

/** The tree of the audit log must continue the one that was signed, or another log begins. */
export async function compareAudit({ pipeline, settings, timeline, mend, restored }: Reconciling): Promise<Difference[]> {
  const outcome = await reconcileTree(
    pipeline.pool,
    { ...settings, auditDir: auditDirOf(settings) },
    { timeline, mend: mend && restored, random: randomBytes },
  );
  if (outcome === undefined) return [];
  const { origin, signed, size, why, successor } = outcome;
  if (!restored) return [{ about: 'audit', state: 'named', detail: why }];
  const lost = `${origin} has a signed checkpoint of ${signed.size} entries, and the database has ${size}`;
  if (successor !== undefined)
    return [{ about: 'audit', state: 'mended', detail: `${lost}: the log goes on as ${successor}, with a key of its own` }];
  const remedy = `name the log ${origin}-r${timeline} in WEIR_AUDIT_KMS_KEYS or WEIR_AUDIT_KEY, and move audit-checkpoint away`;
  return [{ about: 'audit', state: 'named', detail: `${lost}: ${remedy}` }];
}
