import { openPool, type Pool } from '@weir/postgres';
import { callerOf, type Place, type Point, redeem, type Told } from './load.ts';

/** An installation that runs on a restored and reconciled database. */
export interface Restored {
  readonly place: Place;
  readonly databaseUrl: string;
  /** Of every process. */
  readonly urls: readonly string[];
  /** Events of one id that are in the log more often than they may be, in words. */
  doubledEvents(pool: Pool): Promise<readonly string[]>;
}

/** What a drill found after one restore; `violations` must be empty. */
export interface Outcome {
  /** Transfers that were acknowledged before the point, and are there. */
  readonly kept: number;
  /** Redemptions that the database had forgotten, and the journal not. */
  readonly forgotten: number;
  /** Further withdrawals that left after the restore, each for the first time. */
  readonly redeemedLater: number;
  readonly violations: readonly string[];
}

const callersAtOnce = 8;

/**
 * After the restore to `point` and its reconciliation: everything told before the point is there, nothing is doubled, and no withdrawal leaves
 * twice, though every caller repeats all that it was ever told.
 */
export async function checkRestored(own: Restored, point: Point, all: Told): Promise<Outcome> {
  const violations: string[] = [];
  const call = callerOf(own.place);
  const pool = openPool({ url: own.databaseUrl, max: 4 });
  try {
    const before = [...point.told.deposits.keys(), ...point.told.withdrawals.keys()];
    const stored = await storedIds(pool);
    for (const id of before) if (!stored.has(id)) violations.push(`${id} was acknowledged before the point, and is lost`);
    const forgotten = await count(pool, `SELECT count(*)::int AS n FROM gate.permits WHERE state = 'redeemed' AND revision = 0`);
    // Every permit that was ever issued comes again.
    await each([...all.permits], async ([id, permit]) => {
      const withdrawal = all.withdrawals.get(id);
      if (withdrawal === undefined) return;
      const { status } = await redeem(call, withdrawal, permit);
      if (status !== 409 && status !== 410 && status !== 422) violations.push(`the permit of ${id} from before the restore: ${status}`);
      if (all.redeemed.has(id) && status === 410) violations.push(`${id} had left, and its permit is only revoked`);
    });
    await each([...all.deposits], async ([id, deposit]) => {
      const { status } = await call('ingest', 'POST', '/v1/deposits', deposit);
      if (status !== 200 && status !== 202) violations.push(`deposit ${id} again: ${status}`);
      if (status === 202 && point.told.deposits.has(id)) violations.push(`deposit ${id} is new to the restored database`);
    });
    let redeemedLater = 0;
    await each([...all.withdrawals], async ([id, withdrawal]) => {
      const { status, body } = await call('gate', 'POST', '/v1/withdrawals', withdrawal);
      if (status !== 200 || body.status !== 'allowed') return void violations.push(`withdrawal ${id} again: ${status} ${body.status}`);
      if (all.redeemed.has(id)) {
        if (body.permit !== undefined || body.redeemed === undefined) violations.push(`${id} had left, and may leave again`);
        return;
      }
      // Redeemed, and killed before the answer.
      if (all.attempted.has(id) && body.permit === undefined && body.redeemed !== undefined) return;
      const first = await redeem(call, withdrawal, body.permit);
      const second = await redeem(call, withdrawal, body.permit);
      if (first.isOwn) redeemedLater += 1;
      if (!first.isOwn || second.status !== 409 || second.isOwn)
        violations.push(`${id} is redeemed with ${first.status}, then ${second.status}`);
    });
    violations.push(
      ...(await doubled(pool)),
      ...(await namedTransfers(pool)),
      ...(await own.doubledEvents(pool)),
      ...(await warnings(own.urls)),
    );
    return { kept: before.length, forgotten, redeemedLater, violations };
  } finally {
    await pool.end();
  }
}

/** The act of a restore stays in the audit log for good, so it names screenings and no ids of the exchange. */
async function namedTransfers(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ value: string }>(
    `SELECT d ->> 'value' AS value FROM access.activities CROSS JOIN LATERAL jsonb_array_elements(details) AS d
     WHERE action = 'database_restored' AND d ->> 'value' ~ '^(deposit|withdrawal) '`,
  );
  return rows.map(({ value }) => `the act of the restore names a transfer: ${value}`);
}

async function warnings(urls: readonly string[]): Promise<string[]> {
  const answers = await Promise.all(urls.map(async (url) => (await (await fetch(`${url}/readyz`)).json()) as { warnings?: string[] }));
  return answers.flatMap((answer) => answer.warnings ?? []).filter((warning) => /checkpoint|reconcile/.test(warning));
}

async function storedIds(pool: Pool): Promise<ReadonlySet<string>> {
  const { rows } = await pool.query<{ id: string }>(`SELECT request -> 'transfer' ->> 'source_id' AS id FROM intake.transfers`);
  return new Set(rows.map(({ id }) => id));
}

export const count = async (pool: Pool, text: string): Promise<number> => (await pool.query<{ n: number }>(text)).rows[0]?.n ?? 0;

/** Keys forbid most of it; these are the rest. */
async function doubled(pool: Pool): Promise<string[]> {
  const looks: Readonly<Record<string, string>> = {
    'withdrawals with two redeemed permits': `SELECT count(*)::int AS n FROM (SELECT FROM gate.permits WHERE state = 'redeemed' GROUP BY withdrawal_id HAVING count(*) > 1) d`,
    'screenings whose revisions have a gap': `SELECT count(*)::int AS n FROM (SELECT FROM decision.decisions GROUP BY screening_id HAVING count(*) <> max(revision)) d`,
    'audit entries with one id for two events': `SELECT count(*)::int AS n FROM audit.entries WHERE conflicts_with IS NOT NULL`,
  };
  const found: string[] = [];
  for (const [name, text] of Object.entries(looks)) {
    const n = await count(pool, text);
    if (n > 0) found.push(`${n} ${name}`);
  }
  return found;
}

async function each<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = [...items];
  const worker = async (): Promise<void> => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: callersAtOnce }, worker));
}
