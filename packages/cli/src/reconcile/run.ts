import { join } from 'node:path';
import { isRestored, markReconciled, type OpenPipeline } from '@weir/service-kit';
import { confirm } from '../confirm.ts';
import type { PlaceFlags } from '../flags.ts';
import { withInstallation } from '../installation.ts';
import { note, plain, print, printJson } from '../output.ts';
import type { AllSettings } from '../settings.ts';
import { comparePermits } from './permits.ts';
import type { Difference } from './difference.ts';

interface ReconcileFlags extends PlaceFlags {
  readonly dryRun?: true;
  readonly yes?: true;
  readonly json?: true;
}

/** For one comparison. */
export interface Reconciling {
  readonly pipeline: OpenPipeline;
  readonly settings: AllSettings;
  /** Whether the database was restored since it was last reconciled. */
  readonly restored: boolean;
  readonly mend: boolean;
  /** Folder of the journal of redeemed permits. */
  readonly journal: string;
}

/** In this order: each may rely on those before. */
const comparisons: readonly ((of: Reconciling) => Promise<Difference[]>)[] = [comparePermits];

export async function runReconcile(flags: ReconcileFlags): Promise<void> {
  await withInstallation(flags, async (pipeline, settings) => {
    const restored = await isRestored(pipeline.pool);
    const mend = flags.dryRun !== true;
    const question = restored
      ? 'Reconcile the restored database and open the gate?'
      : 'The database was not restored. Compare and mend it?';
    if (mend && !(await confirm(question, flags.yes))) return note('Nothing was changed.');
    const journal = settings.permitJournal === '' ? join(settings.dataDir, 'permit-journal') : settings.permitJournal;
    const differences: Difference[] = [];
    for (const compare of comparisons) differences.push(...(await compare({ pipeline, settings, restored, mend, journal })));
    if (mend) await markReconciled(pipeline.pool);
    if (flags.json) await printJson({ restored, reconciled: mend, differences });
    else for (const each of differences) await print(`${each.state.padEnd(6)} ${each.about.padEnd(12)} ${plain(each.detail)}\n`);
    const named = differences.filter(({ state }) => state === 'named').length;
    const found = `${differences.length} differences, ${named} of them only named.`;
    note(mend ? `${found}${restored ? ' The gate opens.' : ''}` : found);
    if (named > 0 || (!mend && differences.length > 0)) process.exitCode = 1;
  });
}
