import { type Codec, eventId, type ScreeningDecided, screeningId } from '@weir/contracts';
import { prepared, type Queryable } from '@weir/postgres';
import { GateUnavailable } from './availability.ts';
import { type Applied, applyIn } from './standing.ts';

/** Revisions that are looked for at once. A withdrawal has one or two, as a rule. */
const atOnce = 8;

/** What reading committed decisions needs. */
export interface Committed {
  readonly codec: Codec;
  readonly onApplied: (applied: Applied) => void;
}

/** Applies what decision has committed about a withdrawal and the gate has not read. To be called under the lock of its row. */
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
 * Decisions of a withdrawal after `revision` that are committed: their events are stored with them, and may not be published, or not be
 * read here, for a while. Their ids follow from the revision, so each is one look at the primary key.
 */
async function findCommitted(db: Queryable, codec: Codec, withdrawalId: string, revision: number): Promise<ScreeningDecided[]> {
  const found: ScreeningDecided[] = [];
  for (let from = revision + 1; ; from += atOnce) {
    const ids = Array.from({ length: atOnce }, (_, n) => decisionEvent(withdrawalId, from + n));
    const { rows } = await db.query<{ value: Buffer }>(prepared('SELECT value FROM outbox.events WHERE event_id = ANY($1::uuid[])'), [ids]);
    found.push(...(await Promise.all(rows.map(({ value }) => decode(codec, value)))));
    if (rows.length < atOnce) return found;
  }
}

/** The id of the event of a withdrawal's decision. */
export function decisionEvent(withdrawalId: string, revision: number): string {
  return eventId('screenings.decided', screeningId('withdrawal', withdrawalId), revision);
}

async function decode(codec: Codec, value: Buffer): Promise<ScreeningDecided> {
  return codec.decode('screenings.decided', value).catch((cause: unknown) => {
    throw new GateUnavailable('a later decision cannot be read', { cause });
  });
}
