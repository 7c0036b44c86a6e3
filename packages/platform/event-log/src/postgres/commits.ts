import type { Database, Statement } from './database.ts';
import type { Member, Owned } from './member.ts';

const commitStatement: Statement = { name: 'weir_log_commit', text: 'SELECT nth FROM log.commit($1, $2, $3, $4, $5)' };
const releaseStatement: Statement = { name: 'weir_log_release', text: 'SELECT log.release($1, $2, $3, $4, $5, $6)' };

/** Commits the new watermarks of these members in one statement, and drops partitions that they lost. */
export async function commitWatermarks(database: Database, members: Iterable<Member>): Promise<void> {
  const due = [...members].flatMap((member) =>
    member.owned
      .map((owned) => ({ member, owned, watermark: owned.assignment.watermark }))
      .filter((each) => each.watermark > each.owned.committed),
  );
  if (due.length === 0) return;
  const rows = await database.run<{ nth: bigint }>(commitStatement, [
    due.map(({ member }) => member.groupId),
    due.map(({ owned }) => owned.topicId),
    due.map(({ owned }) => owned.assignment.partition),
    due.map(({ owned }) => owned.epoch),
    due.map(({ watermark }) => watermark),
  ]);
  const accepted = new Set(rows.map((row) => Number(row.nth) - 1));
  due.forEach(({ member, owned, watermark }, nth) => {
    if (accepted.has(nth)) owned.committed = watermark;
    else member.lose(owned);
  });
}

export async function release(database: Database, member: Member, given: readonly Owned[], leaving: boolean): Promise<void> {
  await database.run(releaseStatement, [
    member.groupId,
    given.map((owned) => owned.topicId),
    given.map((owned) => owned.assignment.partition),
    given.map((owned) => owned.epoch),
    given.map((owned) => owned.assignment.watermark),
    leaving ? member.id : null,
  ]);
  for (const owned of given) member.forget(owned);
}
