import { randomUUID } from 'node:crypto';
import type { LocalLists } from '@weir/chain-store/sanctions';
import { screeningId } from '@weir/contracts';
import type { Intake } from '@weir/intake';
import { permitAlgorithm, type PermitClaims, permitType } from '@weir/permit';
import { type Pool, type Queryable, transaction } from '@weir/postgres';
import type { StoredEvent } from '@weir/service-kit';
import { CompactSign } from 'jose';
import { applyCommitted } from '../committed.ts';
import { type Applied, nothingApplied, type Terms } from '../standing.ts';
import type { Keyring } from './keyring.ts';
import { lookAt, type Standing } from './look.ts';
import { requestRenewal, revokeOpen } from './renewal.ts';

export interface IssuedPermit {
  /** A bearer secret: anybody who may redeem can release the withdrawal with it. */
  readonly token: string;
  readonly expiresAt: Date;
}

export interface Issuing {
  readonly pool: Pool;
  readonly keyring: Keyring;
  /** Called once decisions are applied, for good, that the gate has not read yet. */
  readonly onApplied: (applied: Applied) => void;
  readonly issuer: string;
  readonly ttlMs: number;
  readonly allowMaxAgeMs: number;
  readonly intake: Intake;
  readonly lists: LocalLists;
  /** Called for each new permit, and for each withdrawal that is screened again instead. */
  readonly onIssue: (result: 'issued' | Renewal) => void;
}

/** Why an allowed withdrawal is screened again. */
export type Renewal = 'aged' | 'listed';

/** Limit of a statement's wait for the withdrawal's lock. */
const statementTimeoutMs = 4_000;

/**
 * Returns the withdrawal's status, with its permit while it is allowed and not redeemed: the valid one, or a new one that is stored first.
 * If the decision is too old, or a local list names the receiver, it issues none and requests a new screening, once per decision.
 */
export async function issuePermit(options: Issuing, withdrawalId: string): Promise<(Standing & { permit?: IssuedPermit }) | undefined> {
  let result: 'issued' | Renewal | undefined;
  let events: readonly StoredEvent[] = [];
  let applied = nothingApplied;
  const issued = await transaction(
    options.pool,
    async (tx) => {
      const locked = await lookAt(tx, withdrawalId, { ...options, lock: 'FOR UPDATE OF w' });
      if (locked === undefined || (locked.status !== 'allowed' && !locked.isStale)) return locked;
      // Read again under the lock: another transaction may have redeemed, issued or decided during the wait.
      applied = await applyCommitted(tx, withdrawalId, locked.revision);
      const current = await lookAt(tx, withdrawalId, options);
      if (current === undefined || (current.status !== 'allowed' && !current.isStale) || current.redemption !== undefined) return current;
      const terms = await readTerms(tx, withdrawalId);
      const [listings = []] = await options.lists.find(tx, [{ chain: terms.chain, address: terms.to_address }]);
      if (listings.length > 0) await revokeOpen(tx, withdrawalId);
      if (listings.length > 0 || current.isStale) {
        events = await requestRenewal(tx, options.intake, withdrawalId);
        if (events.length > 0) result = listings.length > 0 ? 'listed' : 'aged';
        return { ...current, status: 'pending' as const };
      }
      const open = await findOpen(tx, withdrawalId);
      if (open !== undefined) return { ...current, permit: open };
      result = 'issued';
      return { ...current, permit: await makePermit(tx, options, withdrawalId, { ...current, terms }) };
    },
    { statementTimeoutMs },
  );
  options.onApplied(applied);
  if (result !== undefined) options.onIssue(result);
  // Stored already, so publishing need not be awaited.
  void options.intake.publish(events);
  return issued;
}

async function findOpen(db: Queryable, withdrawalId: string): Promise<IssuedPermit | undefined> {
  const { rows } = await db.query<{ token: string; expires_at: Date }>(
    `SELECT p.token, p.expires_at
     FROM gate.withdrawals w JOIN gate.permits p USING (withdrawal_id)
     WHERE withdrawal_id = $1 AND w.status = 'allowed' AND w.decided = w.asked AND p.state = 'open' AND p.expires_at > clock_timestamp()`,
    [withdrawalId],
  );
  const [row] = rows;
  return row === undefined ? undefined : { token: row.token, expiresAt: row.expires_at };
}

/** The decided terms, and the time by the database's clock. */
async function readTerms(tx: Queryable, withdrawalId: string): Promise<Terms & { now: Date }> {
  const { rows } = await tx.query<Terms & { now: Date }>(
    `SELECT date_trunc('milliseconds', clock_timestamp()) AS now,
       decided->>'chain' AS chain, decided->>'coin' AS coin, decided->>'to_address' AS to_address, decided->>'amount' AS amount, decided->>'memo' AS memo
     FROM gate.withdrawals WHERE withdrawal_id = $1`,
    [withdrawalId],
  );
  const [row] = rows;
  if (row === undefined) throw new TypeError('a withdrawal that is locked was not found');
  return row;
}

/** By the database's clock, which also decides the expiry. */
async function makePermit(
  tx: Queryable,
  options: Issuing,
  withdrawalId: string,
  { revision, terms }: { revision: number; terms: Terms & { now: Date } },
): Promise<IssuedPermit> {
  const { kid, key } = await options.keyring.signing(tx);
  const issuedAt = terms.now.getTime();
  const expiresAt = issuedAt + options.ttlMs;
  const claims: PermitClaims = {
    iss: options.issuer,
    sub: withdrawalId,
    jti: randomUUID(),
    iat: Math.floor(issuedAt / 1_000),
    // Rounded up: it may look valid for part of a second longer than it can be redeemed.
    exp: Math.ceil(expiresAt / 1_000),
    chain: terms.chain,
    coin: terms.coin,
    to_address: terms.to_address,
    amount: terms.amount,
    ...(terms.memo ? { memo: terms.memo } : {}),
    screening_id: screeningId('withdrawal', withdrawalId),
    revision,
  };
  const payload = new TextEncoder().encode(JSON.stringify(claims));
  const token = await new CompactSign(payload).setProtectedHeader({ alg: permitAlgorithm, kid, typ: permitType }).sign(key);
  // The previous permit has expired; its signature still proves that it existed.
  await tx.query(`DELETE FROM gate.permits WHERE withdrawal_id = $1 AND state = 'open'`, [withdrawalId]);
  await tx.query(
    `INSERT INTO gate.permits (permit_id, withdrawal_id, revision, kid, token, issued_at, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    [claims.jti, withdrawalId, revision, kid, token, new Date(issuedAt), new Date(expiresAt)],
  );
  return { token, expiresAt: new Date(expiresAt) };
}
