import { auditMigrations } from '@weir/audit-writer';
import { systemClock } from '@weir/clock';
import { keptPolicyTexts, replay } from '@weir/decision';
import { migrate } from '@weir/postgres';
import type { OpenPipeline } from '@weir/service-kit';
import { UsageError } from '../failure.ts';
import type { PlaceFlags } from '../flags.ts';
import { withInstallation } from '../installation.ts';
import { note } from '../output.ts';
import { openProgress } from '../progress.ts';
import type { AllSettings } from '../settings.ts';
import { DecisionCheck, readPolicies } from './decision-check.ts';
import { Problems } from './problems.ts';
import { erasedDecisions, verifyFile, type VerifyFlags } from './verify-file.ts';
import { knownOutside, verifyLog } from './verify-log.ts';

/** Verifies an export, or without one the rows of an installation. Rejects if anything does not verify, after naming each problem. */
export async function verify(file: string | undefined, flags: VerifyFlags & PlaceFlags): Promise<void> {
  if (file !== undefined && flags.dataDir !== undefined) throw new UsageError('name a file or --data-dir, not both');
  if (file !== undefined) return verifyFile(file, flags);
  return withInstallation(flags, (pipeline, settings) => verifyInstallation(pipeline, settings, flags));
}

async function verifyInstallation(pipeline: OpenPipeline, settings: AllSettings, flags: VerifyFlags): Promise<void> {
  const { pool, codec } = pipeline;
  await migrate(pool, 'audit', auditMigrations);
  const problems = new Problems();
  const known = knownOutside(settings, flags);
  const texts = await keptPolicyTexts(pool);
  const decisions = new DecisionCheck(codec, readPolicies(texts), problems.add, texts.length === 0 ? undefined : pool);
  const progress = openProgress(systemClock);
  const isEnded = (done: number, total: number): boolean => {
    progress.show(done, total, 'entries');
    return false;
  };
  const { size, covered, acts } = await verifyLog(pool, { known, decisions, onProblem: problems.add, isEnded });
  progress.clear();
  const count = await decisions.end();
  if (texts.length > 0) await replayRows(pipeline, problems);
  await problems.requireNone(`${size} entries of the audit log`, { entries: size, isJson: flags.json === true });
  const after = size > covered ? `; the last ${size - covered} are not signed yet` : '';
  for (const act of acts.acts) note(act);
  note(
    `${size} entries verify${acts.summary}, ${count} decisions follow from their evidence and policies${erasedDecisions(decisions)}${after}${sourceOf(known.keys, flags)}.`,
  );
}

/** The rows of decisions, with the evidence stored beside them. */
async function replayRows({ pool, codec }: OpenPipeline, problems: Problems): Promise<void> {
  await replay(
    pool,
    codec,
    { since: new Date(0) },
    {
      different: ({ screening_id, revision }) =>
        problems.add(
          `decision.decisions: decision ${revision} of screening ${screening_id} does not follow from its stored evidence and policy`,
        ),
    },
  );
}

function sourceOf(keys: readonly string[] | undefined, flags: VerifyFlags): string {
  if (flags.key !== undefined) return '';
  return keys === undefined ? ', with the key in the database; pass one that you got another way' : ', with the key beside the signing key';
}
