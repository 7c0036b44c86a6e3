import { join } from 'node:path';
import type { InstallationSettings } from './settings.ts';

type Places = Pick<InstallationSettings, 'dataDir'>;

/** Folder of what the audit log keeps outside the database: its key, its last checkpoint, the erasures. The data folder where none is set. */
export function auditDirOf({ auditDir, dataDir }: Places & Pick<InstallationSettings, 'auditDir'>): string {
  return auditDir === '' ? dataDir : auditDir;
}

/** Folder of the journal of redeemed permits. In the data folder where none is set. */
export function permitJournalOf({ permitJournal, dataDir }: Places & Pick<InstallationSettings, 'permitJournal'>): string {
  return permitJournal === '' ? join(dataDir, 'permit-journal') : permitJournal;
}

/** Journal of erasures, beside the signing key of the audit log. */
export function erasureJournalOf(settings: Parameters<typeof auditDirOf>[0]): string {
  return join(auditDirOf(settings), 'erasures.jsonl');
}
