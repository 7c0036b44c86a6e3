import { parseInstant } from '@weir/chain-import';
import type { Correction, Withdrawn } from '@weir/chain-store';
import { endLabels, migrateRiskApi, withdrawLabels } from '@weir/risk-api';
import { confirm } from '../confirm.ts';
import { UsageError } from '../failure.ts';
import type { PlaceFlags } from '../flags.ts';
import { withInstallation } from '../installation.ts';
import { note, plain } from '../output.ts';
import { formsOf } from './addresses.ts';

interface CorrectionFlags extends PlaceFlags {
  readonly reason: string;
  readonly person: string;
}

interface WithdrawFlags extends CorrectionFlags {
  readonly source?: string;
  readonly import?: string;
  readonly yes?: true;
}

interface EndFlags extends CorrectionFlags {
  readonly address: string;
  readonly source: string;
  readonly category?: string;
  readonly at?: string;
}

/** Fewer characters of a key could be those of another import. */
const shortestKey = 8;

export async function withdraw(flags: WithdrawFlags): Promise<void> {
  const what = withdrawnOf(flags);
  const why = whyOf(flags);
  const name = 'source' in what ? `all labels of ${plain(what.source)}` : `the labels that only import ${plain(what.importKey)} gave`;
  if (!(await confirm(`Withdraw ${name}?`, flags.yes))) return note('Nothing was withdrawn.');
  await withInstallation(flags, async ({ pool }) => {
    await migrateRiskApi(pool);
    report(await withdrawLabels(pool, what, why), 'withdrawn');
  });
}

export async function end(flags: EndFlags): Promise<void> {
  const addresses = formsOf(flags.address);
  const at = flags.at === undefined ? undefined : parseInstant(flags.at);
  if (flags.at !== undefined && at === undefined) throw new UsageError('--at must be a date or a time in ISO 8601');
  const why = whyOf(flags);
  await withInstallation(flags, async ({ pool }) => {
    await migrateRiskApi(pool);
    const { source, category } = flags;
    report(await endLabels(pool, { addresses, source, category, at }, why), 'ended');
  });
}

function withdrawnOf({ source, import: key }: WithdrawFlags): Withdrawn {
  if ((source === undefined) === (key === undefined)) throw new UsageError('give either --source or --import');
  if (source !== undefined) return { source };
  if (key === undefined || !/^[0-9a-f]+$/.test(key) || key.length < shortestKey)
    throw new UsageError(`--import must be the key of an import, or its first ${shortestKey} characters or more`);
  return { importKey: key };
}

function whyOf({ reason, person }: CorrectionFlags): Correction {
  if (reason.trim() === '') throw new UsageError('--reason must not be empty');
  if (person.trim() === '') throw new UsageError('--person must name the person who corrects');
  return { reason, person };
}

function report(count: number, verb: string): void {
  if (count === 0) throw new Error(`no label was ${verb}: there is none`);
  note(`${count} ${count === 1 ? 'label was' : 'labels were'} ${verb}. Scores that read them are computed again.`);
}
