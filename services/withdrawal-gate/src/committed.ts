import { type Codec, eventId, type ScreeningDecided, screeningId } from '@weir/contracts';
import { prepared, type Queryable } from '@weir/postgres';
import { GateUnavailable } from './availability.ts';
import { type Applied, applyIn } from './standing.ts';

/** Revisions per query. A withdrawal usually has one or two. */
const atOnce = 8;

export interface Committed {
  readonly codec: Codec;
  readonly onApplied: (applied: Applied) => void;
}

/** Applies committed decisions about a withdrawal that the gate has not read yet. The caller holds the lock of its row. */
export async function applyCommitted(
  tx: Queryable,
  { codec, onApplied }: Committed,
  withdrawalId: string,
  revision: number,
): Promise<void> {
  const found = await findCommitted(tx, codec, withdrawalId, revision);
  if (found.length > 0) onApplied(await applyIn(tx, found));
}

/**
 * Finds decisions after `revision` in the outbox, where they may wait to be published or read.
 * Their ids follow from the revision, so each is one lookup by primary key.
 */
async function findCommitted(db: Queryable, codec: Codec, withdrawalId: string, revision: number): Promise<ScreeningDecided[]> {
  const found: ScreeningDecided[] = [];
  for (let from = revision + 1; ; from += atOnce) {
    const ids = Array.from({ length: atOnce }, (_, n) => decisionEvent(withdrawalId, from + n));
    const { rows } = await db.query<{ event_id: string; value: Buffer }>(
      // Every service can derive the ids; row-level security lets only decision write under its name.
      prepared(`SELECT event_id, value FROM outbox.events
       WHERE service = 'decision' AND topic = 'screenings.decided' AND event_id = ANY($1::uuid[])`),
      [ids],
    );
    const decisions = await Promise.all(
      rows.map(async ({ event_id, value }) => {
        const decided = await decode(codec, value);
        requireAsked(decided, withdrawalId, from + ids.indexOf(event_id));
        return decided;
      }),
    );
    found.push(...decisions);
    if (rows.length < atOnce) return found;
  }
}

export function decisionEvent(withdrawalId: string, revision: number): string {
  return eventId('screenings.decided', screeningId('withdrawal', withdrawalId), revision);
}

/** The content must match the parts of the derived id. */
function requireAsked(decided: ScreeningDecided, withdrawalId: string, revision: number): void {
  const { kind, transfer } = decided;
  const isAsked =
    kind === 'withdrawal' &&
    transfer.kind === kind &&
    transfer.source_id === withdrawalId &&
    decided.screening_id === screeningId(kind, withdrawalId) &&
    decided.revision === revision;
  if (!isAsked) throw new GateUnavailable('a later decision is stored under the id of another');
}

async function decode(codec: Codec, value: Buffer): Promise<ScreeningDecided> {
  return codec.decode('screenings.decided', value).catch((cause: unknown) => {
    throw new GateUnavailable('a later decision cannot be read', { cause });
  });
}
