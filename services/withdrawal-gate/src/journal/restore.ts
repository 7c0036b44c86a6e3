import { type Pool, type Queryable, transaction } from '@weir/postgres';
import { isRestored, markRestored } from '@weir/service-kit';
import { journalFiles, readJournal, readTail, type Redeemed } from './journal.ts';

const pageSize = 500;
/** A restored database lacks the last redemptions; those of a day are more than enough to see it. */
const tailLines = 200;

/** Closes the services if the end of the journal has redemptions that the database lacks, as after the restore of a disk. */
export async function closeIfForgotten(pool: Pool, folder: string): Promise<void> {
  if (folder === '' || (await isRestored(pool))) return;
  for (const file of await journalFiles(folder)) {
    if ((await findForgotten(pool, await readTail(file, tailLines))).length === 0) continue;
    await markRestored(pool);
    return;
  }
}

/** A permit that is redeemed in the journal and not in the database. */
interface Forgotten {
  readonly withdrawal_id: string;
  readonly permit_id: string;
}

export interface JournalOutcome {
  /** Redemptions in the journal. */
  readonly read: number;
  /** Those that the database had forgotten, and has now. */
  readonly forgotten: readonly Forgotten[];
  /** Two permits of one withdrawal are redeemed: one in the database, the other in the journal. */
  readonly twice: readonly Forgotten[];
  /** Lines that a killed process left; no answer has told of them. */
  readonly torn: readonly string[];
}

/** Compares the journal with the database. With `mend` each redemption of the journal is redeemed in the database too. */
export async function replayJournal(pool: Pool, folder: string, mend: boolean): Promise<JournalOutcome> {
  let read = 0;
  const forgotten: Forgotten[] = [];
  const twice: Forgotten[] = [];
  const torn: string[] = [];
  for (const file of await journalFiles(folder)) {
    const options = { pageSize, onTorn: (number: number) => torn.push(`${file}:${number}`) };
    for await (const page of readJournal(file, options)) {
      read += page.length;
      const missing = await findForgotten(pool, page);
      const others = await findTwice(pool, missing);
      const once = missing.filter((each) => !others.includes(each));
      twice.push(...others.map(named));
      if (mend) await transaction(pool, (tx) => redeemAgain(tx, once));
      forgotten.push(...once.map(named));
    }
  }
  return { read, forgotten, twice, torn };
}

async function findForgotten(db: Queryable, redemptions: readonly Redeemed[]): Promise<Redeemed[]> {
  const { rows } = await db.query<{ permit_id: string }>(
    `SELECT u.id AS permit_id FROM unnest($1::uuid[]) AS u(id)
     WHERE NOT EXISTS (SELECT FROM gate.permits p WHERE p.permit_id = u.id AND p.state = 'redeemed')`,
    [redemptions.map(({ permit_id }) => permit_id)],
  );
  const ids = new Set(rows.map((row) => row.permit_id));
  // A redemption that was told twice has two lines.
  return [...new Map(redemptions.filter(({ permit_id }) => ids.has(permit_id)).map((each) => [each.permit_id, each])).values()];
}

/** Those of whose withdrawal another permit is redeemed, in the database or earlier in the page. */
async function findTwice(db: Queryable, missing: readonly Redeemed[]): Promise<Redeemed[]> {
  const { rows } = await db.query<{ withdrawal_id: string }>(
    `SELECT withdrawal_id FROM gate.permits WHERE withdrawal_id = ANY ($1::text[]) AND state = 'redeemed'`,
    [missing.map(({ withdrawal_id }) => withdrawal_id)],
  );
  const redeemed = new Set(rows.map((row) => row.withdrawal_id));
  return missing.filter(({ withdrawal_id }) => {
    const isTwice = redeemed.has(withdrawal_id);
    redeemed.add(withdrawal_id);
    return isTwice;
  });
}

const named = ({ withdrawal_id, permit_id }: Redeemed): Forgotten => ({ withdrawal_id, permit_id });

/** The permit may be unknown here, as may its key and its withdrawal. Revision 0: a later decision that does not allow it is reported. */
async function redeemAgain(tx: Queryable, redemptions: readonly Redeemed[]): Promise<void> {
  if (redemptions.length === 0) return;
  const withdrawals = redemptions.map(({ withdrawal_id }) => withdrawal_id);
  await tx.query(
    `INSERT INTO gate.withdrawals (withdrawal_id, status)
     SELECT DISTINCT u.id, 'pending' FROM unnest($1::text[]) AS u(id) ORDER BY 1 ON CONFLICT DO NOTHING`,
    [withdrawals],
  );
  await tx.query(`UPDATE gate.permits SET state = 'revoked' WHERE withdrawal_id = ANY ($1::text[]) AND state = 'open'`, [withdrawals]);
  await tx.query(
    `INSERT INTO gate.permits (permit_id, withdrawal_id, revision, state, issued_at, expires_at, redeemed_at, redemption_id)
     SELECT u.permit_id, u.withdrawal_id, 0, 'redeemed', u.redeemed_at, u.redeemed_at, u.redeemed_at, u.redemption_id
     FROM unnest($1::uuid[], $2::text[], $3::timestamptz[], $4::text[]) AS u(permit_id, withdrawal_id, redeemed_at, redemption_id)
     ON CONFLICT (permit_id) DO UPDATE SET state = 'redeemed', redeemed_at = excluded.redeemed_at, redemption_id = excluded.redemption_id`,
    [
      redemptions.map(({ permit_id }) => permit_id),
      withdrawals,
      redemptions.map(({ redeemed_at }) => redeemed_at),
      redemptions.map(({ redemption_id }) => redemption_id ?? null),
    ],
  );
}
