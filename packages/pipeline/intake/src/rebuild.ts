import type { Kind, ScreeningRequested, Topic } from '@weir/contracts';
import { type NewEvent, publishAgain, type Rebuild, requestedEvent } from '@weir/service-kit';
import type { RawTransfer } from './raw-transfer.ts';

interface StoredTransfer {
  readonly given: RawTransfer;
  readonly request: ScreeningRequested;
}

interface Selection {
  readonly kind: Kind;
  /** SQL condition on a transfer `t`: its event may be lost. */
  readonly mayBeLost: string;
  readonly toEvent: (transfer: StoredTransfer) => NewEvent;
}

const batchSize = 250;
const serviceOf: Readonly<Record<Kind, string>> = { deposit: 'deposit-ingest', withdrawal: 'withdrawal-gate' };

/** SQL condition on a transfer `t`: the audit log lacks its event of this topic. */
export const isUnrecorded = (topic: Topic): string =>
  `NOT EXISTS (SELECT FROM audit.entries a WHERE a.screening_id = t.screening_id AND a.topic = '${topic}')`;

/** Decision or scoring has not handled the request, or the audit log lacks it. */
const isOpen = `
  NOT EXISTS (SELECT FROM decision.screenings d WHERE d.screening_id = t.screening_id AND d.revision > 0)
  OR NOT EXISTS (SELECT FROM scoring.screenings s WHERE s.screening_id = t.screening_id AND s.attempt = 1)
  OR ${isUnrecorded('screenings.requested')}`;

/** Publishes the first requests of open transfers again. Returns their number. */
export async function rebuildRequests(of: Rebuild): Promise<number> {
  const toEvent = ({ request }: StoredTransfer): NewEvent => requestedEvent(request, request.requested_at);
  // Withdrawals first, since somebody waits for them.
  const withdrawals = await rebuildFromTransfers(of, { kind: 'withdrawal', mayBeLost: isOpen, toEvent });
  return withdrawals + (await rebuildFromTransfers(of, { kind: 'deposit', mayBeLost: isOpen, toEvent }));
}

export async function rebuildFromTransfers(of: Rebuild, { kind, mayBeLost, toEvent }: Selection): Promise<number> {
  let count = 0;
  for (let after: string | null = null; ; ) {
    const { rows }: { rows: (StoredTransfer & { screening_id: string })[] } = await of.pool.query(
      `SELECT t.screening_id, t.given, t.request FROM intake.transfers t
       WHERE ($1::uuid IS NULL OR t.screening_id > $1) AND t.kind = $2 AND NOT t.given ? 'erased' AND (${mayBeLost})
       ORDER BY t.screening_id LIMIT $3`,
      [after, kind, batchSize],
    );
    await publishAgain(of, serviceOf[kind], rows.map(toEvent));
    count += rows.length;
    after = rows.at(-1)?.screening_id ?? null;
    if (rows.length < batchSize) return count;
  }
}
