import { randomBytes } from 'node:crypto';
import { parseCheckpoint } from '@weir/audit-log';
import { repeat } from '@weir/clock';
import type { Operation, Pipeline } from '@weir/service-kit';
import { CheckpointRefused, Checkpoints, type SignedCheckpoint } from './checkpoints.ts';
import type { AuditWriterSettings } from './config.ts';
import { createTreeGauges } from './metrics.ts';
import { auditOperations } from './routes.ts';
import { lastCheckpointIn, openSigner } from './signer.ts';

interface Signing {
  readonly operations: readonly Operation[];
  readonly warnings: () => readonly string[];
  stop(): Promise<void>;
}

/** Signs checkpoints on a schedule, and serves them with proofs and tiles. Rejects with a ConfigError. */
export async function startSigning(pipeline: Pipeline, settings: Omit<AuditWriterSettings, 'auditBatch'>): Promise<Signing> {
  const { pool, access, clock, logger } = pipeline;
  const signer = openSigner(settings, randomBytes);
  const checkpoints = signer === undefined ? undefined : new Checkpoints({ pool, signer, last: lastCheckpointIn(settings.auditDir) });
  const stopping = new AbortController();
  let refusal = '';
  measure(pipeline, () => refusal !== '');
  await sign();
  const loop = repeat(
    { clock, every: settings.auditCheckpointMs, firstAfter: settings.auditCheckpointMs, signal: stopping.signal, onError: () => undefined },
    sign,
  );
  const latest = async (): Promise<SignedCheckpoint | undefined> => checkpoints?.latest ?? readPublished(pipeline);
  const operations = auditOperations({
    pool,
    access,
    keys: signer?.keys.map(({ text }) => `${text}\n`).join(''),
    latest,
    refreshed: async () => {
      await sign();
      return latest();
    },
  });
  return {
    operations,
    warnings: () => [
      ...(refusal === '' ? [] : [`no checkpoint of the audit log is signed: ${refusal}`]),
      ...(signer === undefined ? ['no checkpoint of the audit log is signed: WEIR_AUDIT_DIR is not set'] : []),
    ],
    stop: async () => {
      stopping.abort();
      await loop;
    },
  };

  async function sign(): Promise<void> {
    try {
      await checkpoints?.sign();
      refusal = '';
    } catch (error) {
      const isRefused = error instanceof CheckpointRefused;
      const message = (error as Error).message;
      if (!isRefused) logger.warn({ err: error }, 'no checkpoint could be signed; trying again');
      else if (message !== refusal) logger.error({ err: error }, 'no checkpoint of the audit log is signed');
      if (isRefused) refusal = message;
    }
  }
}

/** The checkpoint of another replica, for a process that does not sign. */
async function readPublished({ pool }: Pipeline): Promise<SignedCheckpoint | undefined> {
  const { rows } = await pool.query<{ note: string }>('SELECT note FROM audit.checkpoint');
  const [row] = rows;
  return row === undefined ? undefined : { ...parseCheckpoint(row.note.slice(0, row.note.indexOf('\n\n') + 1)), note: row.note };
}

function measure({ pool, metrics }: Pipeline, isRefused: () => boolean): void {
  const gauges = createTreeGauges(metrics);
  metrics.onScrape(async () => {
    gauges.checkpointRefused.set(isRefused() ? 1 : 0);
    const { rows } = await pool.query<{ size: bigint; age: number }>(
      `SELECT tree.size, CASE WHEN tree.size > coalesce(c.size, 0) THEN extract(epoch FROM now() - coalesce(c.signed_at, now()))::float8 ELSE 0 END AS age
       FROM audit.tree LEFT JOIN audit.checkpoint AS c ON true`,
    );
    gauges.treeSize.set(Number(rows[0]?.size ?? 0n));
    gauges.checkpointAge.set(rows[0]?.age ?? 0);
  });
}
