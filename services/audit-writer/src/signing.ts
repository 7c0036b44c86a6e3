import { randomBytes } from 'node:crypto';
import { NoteKeyError, parseCheckpoint, parseVerifierKey, type VerifierKey } from '@weir/audit-log';
import type { Pool } from '@weir/postgres';
import type { Operation, Pipeline } from '@weir/service-kit';
import { ConfigError } from '@weir/service-kit/config';
import type { Anchor } from './anchors/anchor.ts';
import { Anchoring, readAnchored } from './anchors/anchoring.ts';
import { openAnchors } from './anchors/settings.ts';
import { CheckpointRefused, Checkpoints, type SignedCheckpoint } from './checkpoints.ts';
import { type AuditWriterSettings, partsOf } from './config.ts';
import { createTreeGauges } from './metrics.ts';
import { auditOperations } from './routes.ts';
import { openSigner, openWitnessKey } from './keys/signer.ts';
import { cosignedCheckpointIn, lastCheckpointIn } from './last-checkpoint.ts';
import { Witness } from './witness/witness.ts';

interface Signing {
  readonly operations: readonly Operation[];
  readonly warnings: () => readonly string[];
  stop(): Promise<void>;
}

/** Signs checkpoints on a schedule, and serves them with proofs and tiles. Rejects with a ConfigError. */
export async function startSigning(pipeline: Pipeline, settings: Omit<AuditWriterSettings, 'auditBatch'>): Promise<Signing> {
  const { pool, access, clock, codec, logger, jobs } = pipeline;
  const { auditDir } = settings;
  const signer = await openSigner(settings, randomBytes);
  const checkpoints = signer === undefined ? undefined : new Checkpoints({ pool, signer, last: lastCheckpointIn(auditDir) });
  const anchors = await openAnchors(settings.auditAnchors, clock);
  if (signer === undefined && anchors.length > 0)
    throw needsFolder('WEIR_AUDIT_ANCHORS needs a folder outside the database for the key that signs');
  const anchoring = new Anchoring({ pool, clock, logger, jobs, anchors, every: settings.auditAnchorMs, latest: () => checkpoints?.latest });
  const stopping = new AbortController();
  let refusal = '';
  measure(pipeline, { isRefused: () => refusal !== '', anchors });
  await trySign();
  const everyMs = settings.auditCheckpointMs;
  const loop = checkpoints && jobs.repeat({ service: 'audit-writer', name: 'checkpoint', everyMs, signal: stopping.signal }, sign);
  const anchored = anchoring.run(stopping.signal);
  const latest = async (): Promise<SignedCheckpoint | undefined> => checkpoints?.latest ?? readPublished(pipeline);
  const operations = auditOperations({
    pool,
    access,
    codec,
    witness: witnessOf(pipeline, settings),
    keys: signer?.keys.map(({ text }) => `${text}\n`).join(''),
    latest,
    refreshed: async () => {
      await trySign();
      return latest();
    },
  });
  return {
    operations,
    warnings: () => [
      ...anchoring.warnings,
      ...(refusal === '' ? [] : [`no checkpoint of the audit log is signed: ${refusal}`]),
      ...(signer === undefined ? ['no checkpoint of the audit log is signed: WEIR_AUDIT_DIR is not set'] : []),
    ],
    stop: async () => {
      stopping.abort();
      await Promise.all([loop, anchored]);
    },
  };

  async function sign(): Promise<void> {
    try {
      await checkpoints?.sign();
      refusal = '';
    } catch (error) {
      const isRefused = error instanceof CheckpointRefused;
      const message = (error as Error).message;
      if (isRefused && message !== refusal) logger.error({ err: error }, 'no checkpoint of the audit log is signed');
      if (isRefused) refusal = message;
      throw error;
    }
  }

  async function trySign(): Promise<void> {
    await sign().catch((err: unknown) => {
      // `sign` has said so.
      if (!(err instanceof CheckpointRefused)) logger.warn({ err }, 'no checkpoint could be signed; trying again');
    });
  }
}

/** The checkpoint of another replica, for a process that does not sign. */
async function readPublished({ pool }: Pipeline): Promise<SignedCheckpoint | undefined> {
  const { rows } = await pool.query<{ note: string }>('SELECT note FROM audit.checkpoint');
  const [row] = rows;
  return row === undefined ? undefined : { ...parseCheckpoint(row.note.slice(0, row.note.indexOf('\n\n') + 1)), note: row.note };
}

function witnessOf(
  { pool, clock }: Pipeline,
  { auditWitnessOf, auditDir }: Pick<AuditWriterSettings, 'auditWitnessOf' | 'auditDir'>,
): Witness | undefined {
  if (auditWitnessOf === '') return undefined;
  if (auditDir === '') throw needsFolder('WEIR_AUDIT_WITNESS_OF needs a folder for the key and what it has cosigned');
  const logs = verifierKeys(auditWitnessOf);
  const signer = openWitnessKey(auditDir, randomBytes);
  return new Witness({ pool, clock, signer, logs, lastOf: (origin) => cosignedCheckpointIn(auditDir, origin) });
}

function verifierKeys(text: string): VerifierKey[] {
  try {
    return partsOf(text).map(parseVerifierKey);
  } catch (error) {
    if (error instanceof NoteKeyError) throw new ConfigError(`setting WEIR_AUDIT_WITNESS_OF is wrong: ${error.message}`);
    throw error;
  }
}

function needsFolder(why: string): ConfigError {
  return new ConfigError(`setting WEIR_AUDIT_DIR is missing: ${why}`);
}

function measure(
  { pool, metrics, clock }: Pipeline,
  { isRefused, anchors }: { isRefused: () => boolean; anchors: readonly Anchor[] },
): void {
  const gauges = createTreeGauges(metrics);
  metrics.onScrape(async () => {
    gauges.checkpointRefused.set(isRefused() ? 1 : 0);
    const { rows } = await pool.query<{ size: bigint; age: number }>(
      `SELECT tree.size, CASE WHEN tree.size > coalesce(c.size, 0) THEN extract(epoch FROM now() - coalesce(c.signed_at, now()))::float8 ELSE 0 END AS age
       FROM audit.tree LEFT JOIN audit.checkpoint AS c ON true`,
    );
    gauges.archiveFailing.set(await archiveFailingSeconds(pool));
    gauges.treeSize.set(Number(rows[0]?.size ?? 0n));
    gauges.checkpointAge.set(rows[0]?.age ?? 0);
    const kept = await readAnchored(pool, clock);
    for (const { name } of anchors) {
      const { size = 0, age = 0 } = kept.get(name) ?? {};
      gauges.anchorSize.set({ anchor: name }, size);
      gauges.anchorAge.set({ anchor: name }, age);
    }
  });
}

/** Of any PostgreSQL with an archive command, not only of the embedded one. */
async function archiveFailingSeconds(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ seconds: number }>(
    `SELECT CASE WHEN last_failed_time > coalesce(last_archived_time, '-infinity')
       THEN extract(epoch FROM clock_timestamp() - coalesce(last_archived_time, stats_reset, last_failed_time))::float8 ELSE 0 END AS seconds
     FROM pg_stat_archiver`,
  );
  return rows[0]?.seconds ?? 0;
}
