import { systemClock } from '@weir/clock';
import { erasureJournalOf } from '@weir/installation';
import {
  approveErasure,
  eraseExpired,
  type Erasing,
  finishErasures,
  keepErasing,
  listErasures,
  migrateForPrivacy,
  proposeErasure,
} from '@weir/installation/privacy';
import type { Jobs } from '@weir/service-kit';
import { confirm } from '../confirm.ts';
import { UsageError } from '../failure.ts';
import type { PlaceFlags } from '../flags.ts';
import { withInstallation } from '../installation.ts';
import { note, print, printJson, table } from '../output.ts';
import { personOf } from '../person.ts';
import { openProgress } from '../progress.ts';
import type { AllSettings } from '../settings.ts';

interface Flags extends PlaceFlags {
  readonly json?: true;
}

/** How long console and audit-writer may take to write the act. */
const waitMs = 60_000;
const longestReason = 1_000;
const hourMs = 3_600_000;

interface EraseFlags extends Flags {
  readonly user: string;
  readonly reason: string;
  readonly beforeRetentionEnds?: true;
}

export async function propose(flags: EraseFlags): Promise<void> {
  const reason = flags.reason.trim();
  if (reason === '' || reason.length > longestReason) throw new UsageError(`--reason must have 1 to ${longestReason} characters`);
  if (flags.user === '') throw new UsageError('--user must not be empty');
  if (reason.includes(flags.user)) throw new UsageError('--reason must not name the customer: it stays in the audit log for good');
  await withErasing(flags, async ({ pool, clock }, settings) => {
    const by = await personOf(pool, settings.token, { what: 'an erasure', roles: ['reviewer', 'approver'] });
    const proposal = { userId: flags.user, reason, isEarly: flags.beforeRetentionEnds === true, by };
    const { erasureId, screenings } = await proposeErasure(pool, proposal, { rules: rulesOf(settings), now: clock.now() });
    if (flags.json) return printJson({ erasure_id: erasureId, screenings });
    note(
      `Proposed: erasure ${erasureId} of ${count(screenings, 'transfer')}. Nothing is erased yet. Another person erases: weir privacy approve ${erasureId.slice(0, 8)}`,
    );
  });
}

export async function approve(start: string, flags: Flags & { yes?: true }): Promise<void> {
  await withErasing(flags, async (erasing, settings) => {
    const by = await personOf(erasing.pool, settings.token, { what: 'an erasure', roles: ['approver'] });
    if (!(await confirm(`Erase what erasure ${start} names, in your name? It cannot be undone.`, flags.yes)))
      return note('Nothing was erased.');
    const done = await approveErasure(erasing, { start, by }, { rules: rulesOf(settings), journal: erasureJournalOf(settings) });
    if (flags.json)
      return printJson({ erasure_id: done.erasureId, screenings: done.screenings, entries: done.entries, attachments: done.attachments });
    note(
      `Erased: ${count(done.screenings, 'transfer')}, and ${count(done.entries, 'payload')} of the audit log. Erasure ${done.erasureId}.`,
    );
    for (const id of done.attachments) note(`Attachment ${id} is of a case with other customers and was kept: look at it.`);
    note('Backups, archives of Kafka and process logs keep theirs until they expire: see docs/privacy.md.');
  });
}

export async function list(flags: Flags): Promise<void> {
  await withErasing(flags, async ({ pool }) => {
    const rows = await listErasures(pool);
    if (flags.json) return printJson(rows);
    const cells = rows.map((row) => [
      row.erasure_id,
      row.done_at === null ? 'waits' : 'erased',
      row.proposed_at.toISOString(),
      row.proposed_by_name,
      row.approved_by_name ?? '-',
      row.user_id ?? '-',
      row.reason,
    ]);
    return print(table(['ERASURE', 'STATE', 'PROPOSED', 'BY', 'APPROVED BY', 'CUSTOMER', 'REASON'], cells));
  });
}

interface ExpireFlags extends Flags {
  readonly daily?: true;
  /** Of a scheduler. */
  readonly everyHours?: number;
}

/** As the jobs of `weir start`. */
export async function expire(flags: ExpireFlags): Promise<void> {
  await withErasing(flags, async (erasing, { retentionDecisionsDays: days }, jobs) => {
    if (flags.daily) {
      note('Erases each day; Ctrl-C ends it.');
      return keepErasing(erasing, { days, jobs });
    }
    const progress = openProgress(systemClock);
    const job = { service: 'weir', everyMs: flags.everyHours && flags.everyHours * hourMs, signal: erasing.signal };
    const finished = await jobs.run({ ...job, name: 'finish-erasures' }, () => finishErasures(erasing));
    const done = await jobs.run({ ...job, name: 'erase-expired' }, () =>
      eraseExpired(erasing, days, (screenings) => progress.show(screenings, undefined, 'transfers')),
    );
    progress.clear();
    if (flags.json) return printJson({ ...done, finished: finished.map(({ erasureId, ...rest }) => ({ erasure_id: erasureId, ...rest })) });
    for (const { erasureId, screenings } of finished) note(`Erased: ${count(screenings, 'transfer')} of erasure ${erasureId}.`);
    note(
      days === 0
        ? 'WEIR_RETENTION_DECISIONS_DAYS is 0: nothing expires.'
        : `Erased: ${count(done.screenings, 'transfer')} older than ${days} days, and ${count(done.entries, 'payload')} of the audit log.`,
    );
  });
}

function withErasing(flags: PlaceFlags, work: (erasing: Erasing, settings: AllSettings, jobs: Jobs) => Promise<void>): Promise<void> {
  return withInstallation(flags, async ({ pool, jobs }, settings, undo) => {
    await migrateForPrivacy(pool);
    const stop = new AbortController();
    undo.push(async () => stop.abort());
    await work({ pool, clock: systemClock, signal: stop.signal, waitMs }, settings, jobs);
  });
}

const count = (n: number, what: string): string => `${n} ${what}${n === 1 ? '' : 's'}`;

function rulesOf({ retentionDecisionsDays: days, privacyEarlyErasure: allowsEarly }: AllSettings) {
  return { days, allowsEarly };
}
