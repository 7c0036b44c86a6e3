import { checkIndex } from '@weir/audit-writer';
import { systemClock } from '@weir/clock';
import { screeningId } from '@weir/contracts';
import { rebuildDeposits, rebuildRequests } from '@weir/deposit-ingest';
import type { Pool } from '@weir/postgres';
import { catchUpDecisions, rebuildWithdrawals } from '@weir/withdrawal-gate';
import { type Difference, differencesOf, mostNamed } from './difference.ts';
import type { Reconciling } from './run.ts';

const indexLimitMs = 600_000;

/** Transfers, screenings, decisions and the audit log, as the services have stored them. */
export async function compareStored(of: Reconciling): Promise<Difference[]> {
  return [...(await compareTransfers(of)), ...(await compareDecisions(of)), ...(await compareEntries(of))];
}

/** A transfer that no service has to read any more must be with decision and scoring, and a withdrawal with the gate. */
async function compareTransfers({ pipeline, mend }: Reconciling): Promise<Difference[]> {
  const { pool, log } = pipeline;
  const differences: Difference[] = [];
  const lost = async (group: string, where: string, detail: string): Promise<boolean> => {
    // Records in the log still come.
    if ((await log.lag(group)).some(({ lag }) => lag > 0n)) return false;
    const ids = await idsOf(pool, where);
    const words = {
      detail: ({ id }: Found) => `${id} ${detail}`,
      recorded: ({ screening_id }: Found) => `screening ${screening_id} ${detail}`,
      rest: (count: number) => `${count} more, which ${detail}`,
    };
    differences.push(...differencesOf(ids, { about: 'transfers', state: 'mended' }, words));
    return ids.length > 0;
  };
  const without = (table: string): string => `NOT EXISTS (SELECT FROM ${table} s WHERE s.screening_id = t.screening_id)`;
  const isUndecided = await lost('decision', without('decision.screenings'), 'was not with decision; its request is published again');
  const isUnscored = await lost('scoring', without('scoring.screenings'), 'was not with scoring; its request is published again');
  const unknownToGate = `t.kind = 'withdrawal' AND NOT EXISTS (
    SELECT FROM gate.withdrawals w WHERE w.withdrawal_id = t.request -> 'transfer' ->> 'source_id' AND w.asked IS NOT NULL)`;
  const isUnknownToGate = await lost('withdrawal-gate', unknownToGate, 'was not with the gate; it is published again');
  if (!mend) return differences;
  if (isUndecided || isUnscored) await rebuildRequests(pipeline);
  if (isUndecided) await rebuildDeposits(pipeline);
  if (isUnknownToGate) await rebuildWithdrawals(pipeline);
  return differences;
}

interface Found extends Record<string, unknown> {
  readonly screening_id: string;
  /** Kind and id of the transfer. */
  readonly id: string;
}

async function idsOf(pool: Pool, where: string): Promise<Found[]> {
  const { rows } = await pool.query<Found>(
    `SELECT t.screening_id, t.kind || ' ' || (t.request -> 'transfer' ->> 'source_id') AS id FROM intake.transfers t WHERE NOT t.request ? 'erased' AND (${where}) ORDER BY t.screening_id`,
  );
  return rows;
}

/** Each revision follows the one before, the latest is in force, and the gate knows it. */
async function compareDecisions({ pipeline, mend }: Reconciling): Promise<Difference[]> {
  const { rows } = await pipeline.pool.query<{ screening_id: string; revision: number; stored: number; latest: number }>(
    `SELECT s.screening_id, s.revision, count(d.revision)::int AS stored, coalesce(max(d.revision), 0) AS latest
     FROM decision.screenings s LEFT JOIN decision.decisions d ON d.screening_id = s.screening_id
     GROUP BY s.screening_id HAVING s.revision <> count(d.revision) OR s.revision <> coalesce(max(d.revision), 0)
     ORDER BY s.screening_id LIMIT ${mostNamed}`,
  );
  // Those in the log still come.
  const isRead = (await pipeline.log.lag('withdrawal-gate.decisions')).every(({ lag }) => lag === 0n);
  const behind = isRead ? await catchUpDecisions(pipeline.pool, mend) : [];
  return [
    ...rows.map(({ screening_id, revision, stored, latest }): Difference => {
      const detail = `screening ${screening_id} is at revision ${revision}, and has ${stored} decisions up to revision ${latest}`;
      return { about: 'decisions', state: 'named', detail };
    }),
    ...behind.map(
      (id): Difference => ({
        about: 'decisions',
        state: 'mended',
        detail: `withdrawal ${id}: the gate had not read its latest decision`,
        recorded: `screening ${screeningId('withdrawal', id)}: the gate had not read its latest decision`,
      }),
    ),
  ];
}

/** No entry is missing, and each record that audit-writer has read is one. */
async function compareEntries({ pipeline }: Reconciling): Promise<Difference[]> {
  const { pool, log } = pipeline;
  const { problem } = await checkIndex(pool, { clock: systemClock, limitMs: indexLimitMs });
  const { rows } = await pool.query<{ id: string; topic: string }>(
    `SELECT r.headers ->> 'ce_id' AS id, t.name AS topic FROM log.records r JOIN log.topics t ON t.id = r.topic
     JOIN log.groups g ON g.name = 'audit-writer'
     JOIN log.assignments a ON a.group_id = g.id AND a.topic = r.topic AND a.partition = r.partition
     WHERE r.record_offset < a.committed AND r.headers ->> 'ce_id' ~ '^[0-9a-f-]{36}$'
       AND NOT EXISTS (SELECT FROM audit.entries e WHERE e.event_id = (r.headers ->> 'ce_id')::uuid)
     ORDER BY t.name, r.partition, r.record_offset LIMIT ${mostNamed}`,
  );
  const lag = await log.lag('audit-writer');
  return [
    ...(problem === undefined ? [] : [{ about: 'audit' as const, state: 'named' as const, detail: problem }]),
    ...rows.map(
      ({ id, topic }): Difference => ({ about: 'audit', state: 'named', detail: `event ${id} of ${topic} was read, and is no entry` }),
    ),
    ...lag.flatMap(({ gap }): Difference[] =>
      gap === undefined
        ? []
        : [{ about: 'broker', state: 'named', detail: `records of ${gap.topic} expired before audit-writer read them` }],
    ),
  ];
}
