import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Checkpoint, createSignerKey, parseCheckpoint, parseNote, parseSignerKey } from '@weir/audit-log';
import { type Pool, transaction } from '@weir/postgres';
import { CheckpointRefused, readTree, requireGrowth } from './checkpoints.ts';
import type { AuditWriterSettings } from './config.ts';
import { writeWhole } from './durable-file.ts';
import { lastCheckpointIn } from './last-checkpoint.ts';
import type { Random } from './tree.ts';

export interface TreeOutcome {
  readonly origin: string;
  /** The last checkpoint outside the database. */
  readonly signed: Checkpoint;
  /** Leaves in the database. */
  readonly size: number;
  /** Why the tree does not continue the signed one. */
  readonly why: string;
  /** Of the log that begins with this tree; undefined if its key is in a setting, and a person must name it. */
  readonly successor: string | undefined;
}

type Settings = Pick<AuditWriterSettings, 'auditDir' | 'auditKey' | 'auditKmsKeys'>;

/**
 * A tree that lost signed leaves must not go on under the name of its log: two histories would have one signature. So a log with another
 * name and key begins, and the old key and checkpoint stay beside it. Undefined if the tree continues what was signed.
 */
export async function reconcileTree(
  pool: Pool,
  { auditDir, auditKey, auditKmsKeys }: Settings,
  { timeline, mend, random }: { timeline: number; mend: boolean; random: Random },
): Promise<TreeOutcome | undefined> {
  const note = auditDir === '' ? undefined : lastCheckpointIn(auditDir).read();
  if (note === undefined) return undefined;
  const signed = parseCheckpoint(parseNote(note).text);
  const { origin } = signed;
  const frontier = await readTree(pool);
  const why = await whyNot(pool, { ...signed, note }, frontier);
  if (why === undefined) return undefined;
  const isNamed = auditKey !== '' || auditKmsKeys !== '';
  const successor = isNamed ? undefined : `${origin.replace(/-r\d+$/, '')}-r${timeline}`;
  if (mend && successor !== undefined) await succeed(pool, { auditDir, origin, successor, random });
  return { origin, signed, size: frontier.size, why, successor };
}

async function whyNot(pool: Pool, signed: Parameters<typeof requireGrowth>[1], frontier: Awaited<ReturnType<typeof readTree>>) {
  try {
    await requireGrowth(pool, signed, frontier);
    return undefined;
  } catch (error) {
    if (error instanceof CheckpointRefused) return error.message;
    throw error;
  }
}

/** The checkpoint goes last: a kill before that leaves a difference that the next run finds. */
async function succeed(
  pool: Pool,
  { auditDir, origin, successor, random }: { auditDir: string; origin: string; successor: string; random: Random },
): Promise<void> {
  const file = (name: string): string => join(auditDir, name);
  const key = file('audit-key');
  const isOld = existsSync(key) && parseSignerKey(readFileSync(key, 'utf8').trim().split(/\s+/)[0] ?? '').verifier.name === origin;
  if (isOld) {
    writeWhole(file(`audit-key.${origin}`), readFileSync(key, 'utf8'));
    if (existsSync(file('audit-key.pub'))) writeWhole(file(`audit-key.pub.${origin}`), readFileSync(file('audit-key.pub'), 'utf8'));
    writeWhole(key, `${createSignerKey(successor, random(32)).text}\n`);
    rmSync(file('audit-key.pub'), { force: true });
  }
  await transaction(pool, async (tx) => {
    // Signed by the old key, and its places know another tree.
    await tx.query('DELETE FROM audit.checkpoint');
    await tx.query('DELETE FROM audit.anchors');
  });
  renameSync(file('audit-checkpoint'), file(`audit-checkpoint.${origin}`));
}
