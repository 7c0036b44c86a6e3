import { existsSync } from 'node:fs';
import { systemClock } from '@weir/clock';
import { auditDirOf, permitJournalOf, takesGiven } from '@weir/installation';
import { transaction } from '@weir/postgres';
import { isRestored, markReconciled, type OpenPipeline, recordActivity } from '@weir/service-kit';
import { confirm } from '../confirm.ts';
import type { PlaceFlags } from '../flags.ts';
import { withInstallation } from '../installation.ts';
import { note, plain, print, printJson } from '../output.ts';
import type { AllSettings } from '../settings.ts';
import { operator } from '../operator.ts';
import { compareAudit } from './audit.ts';
import { compareBroker } from './broker.ts';
import { compareBudget } from './budget.ts';
import { type Difference, mostNamed } from './difference.ts';
import { compareErasures } from './erasures.ts';
import { comparePermits } from './permits.ts';
import { compareStored } from './stored.ts';

interface ReconcileFlags extends PlaceFlags {
  readonly dryRun?: true;
  readonly yes?: true;
  readonly json?: true;
  readonly budgetUsed?: number;
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
  /** Timeline of the database, in PostgreSQL's count. */
  readonly timeline: number;
  /** Creates that the deciding provider counts today, if the operator knows. */
  readonly budgetUsed: number | undefined;
}

/** In this order: each may rely on those before. */
const comparisons: readonly ((of: Reconciling) => Promise<Difference[]>)[] = [
  comparePermits,
  compareBroker,
  compareStored,
  compareAudit,
  compareBudget,
  compareErasures,
];

export async function runReconcile(flags: ReconcileFlags): Promise<void> {
  await withInstallation(flags, async (pipeline, settings) => {
    const restored = await isRestored(pipeline.pool);
    if (restored) requireFolders(flags, settings);
    const mend = flags.dryRun !== true;
    const question = restored
      ? 'Reconcile the restored database and open the gate?'
      : 'The database was not restored. Compare and mend it?';
    if (mend && !(await confirm(question, flags.yes))) return note('Nothing was changed.');
    const journal = permitJournalOf(settings);
    const differences: Difference[] = [];
    const { rows } = await pipeline.pool.query<{ timeline: number }>('SELECT timeline FROM weir.recovery_place()');
    const timeline = rows[0]?.timeline ?? 0;
    const of = { pipeline, settings, restored, mend, journal, timeline, budgetUsed: flags.budgetUsed };
    for (const compare of comparisons) differences.push(...(await compare(of)));
    if (mend) await end(of, differences);
    if (flags.json)
      await printJson({
        restored,
        reconciled: mend,
        differences: differences.map(({ about, state, detail }) => ({ about, state, detail })),
      });
    else for (const each of differences) await print(`${each.state.padEnd(6)} ${each.about.padEnd(12)} ${plain(each.detail)}\n`);
    const named = differences.filter(({ state }) => state === 'named').length;
    const found = `${differences.length} differences, ${named} of them only named.`;
    note(mend ? `${found}${restored ? ' The gate opens.' : ''}` : found);
    if (named > 0 || (!mend && differences.length > 0)) process.exitCode = 1;
  });
}

/** An absent folder is no empty journal: the gate would miss its redemptions, and close again. An embedded database has them beside it. */
function requireFolders({ dataDir }: PlaceFlags, settings: AllSettings): void {
  if (!takesGiven({ ...settings, isFolderNamed: dataDir !== undefined })) return;
  const folders = { WEIR_PERMIT_JOURNAL: permitJournalOf(settings), WEIR_AUDIT_DIR: auditDirOf(settings) };
  for (const [setting, folder] of Object.entries(folders))
    if (!existsSync(folder))
      throw new Error(
        `there is no folder ${folder}: set ${setting} to the one of the services, where this process can read it; if they keep none, to an empty folder`,
      );
}

/** The gate opens with the commit. A restore is an act in the audit log, with each of its differences. */
async function end({ pipeline, restored, timeline }: Reconciling, differences: readonly Difference[]): Promise<void> {
  await transaction(pipeline.pool, async (tx) => {
    await markReconciled(tx);
    if (!restored) return;
    const details = differences
      .slice(0, mostNamed)
      .map(({ about, state, detail, recorded = detail }, n) => [`${n + 1} ${about} ${state}`, recorded]);
    await recordActivity(tx, {
      action: 'database_restored',
      subjectType: 'settings',
      subject: `database timeline ${timeline}`,
      by: operator(),
      details: { differences: String(differences.length), ...Object.fromEntries(details) },
      at: systemClock.now(),
    });
  });
}
