import type { Clock } from '@weir/clock';
import { type Pool, type Queryable, transaction } from '@weir/postgres';
import type { Person } from '@weir/reviews';
import { listTokens, recordActivity, revokeToken, type StoredToken } from '@weir/service-kit';
import type { LiveSession, Sessions } from '@weir/sessions';

interface Acting {
  readonly db: Pool;
  readonly clock: Clock;
}

/** Revokes a token for good; whether it was good before. A repeat is no act. */
export function revoke({ db, clock }: Acting, token: StoredToken, reason: string, by: Person): Promise<boolean> {
  return transaction(db, async (tx) => {
    const isRevoked = await revokeToken(tx, token.id);
    const details = { name: token.name, role: token.role, reason };
    if (isRevoked) await recordActivity(tx, { action: 'key_revoked', subjectType: 'key', subject: token.id, by, details, at: clock.now() });
    return isRevoked;
  });
}

/** Whether it was live. */
export function endSession({ db, clock }: Acting, sessions: Sessions, { id, name, role }: LiveSession, by: Person): Promise<boolean> {
  return transaction(db, async (tx) => {
    const isEnded = await sessions.endById(tx, id);
    const details = { name, role };
    if (isEnded) await recordActivity(tx, { action: 'session_ended', subjectType: 'session', subject: id, by, details, at: clock.now() });
    return isEnded;
  });
}

export async function findToken(db: Queryable, id: string): Promise<StoredToken | undefined> {
  return (await listTokens(db)).find((token) => token.id === id);
}

export interface ProcessSettings {
  readonly process: string;
  readonly since: Date;
  readonly settings: readonly { readonly name: string; readonly value: string }[];
}

/** Each process notes its settings at the start, where they differ from those of its last start. */
export async function latestSettings(db: Queryable): Promise<ProcessSettings[]> {
  const { rows } = await db.query<ProcessSettings & Record<string, unknown>>(
    `SELECT DISTINCT ON (subject) subject AS process, recorded_at AS since, details AS settings
     FROM access.activities WHERE action = 'settings_changed' ORDER BY subject, number DESC`,
  );
  return rows;
}
