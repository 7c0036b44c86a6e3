import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { verifyStored } from '@weir/audit-writer';
import { auditDirOf } from '@weir/installation';
import type { Queryable } from '@weir/postgres';
import type { AllSettings } from '../settings.ts';
import { ActCheck } from './acts.ts';
import { checkCheckpoint, type NamedCheckpoint, openSigned, sizeOf } from './check-checkpoint.ts';
import type { DecisionCheck } from './decision-check.ts';

/** All that is known of the log outside the database. */
export interface KnownOutside {
  readonly checkpoints: readonly NamedCheckpoint[];
  /** Undefined: only the database has keys. */
  readonly keys: readonly string[] | undefined;
}

/** From the folder of the signing key, and from the flags of the command. */
export function knownOutside(
  settings: Pick<AllSettings, 'auditDir' | 'dataDir'>,
  flags: { key?: string[]; checkpoint?: string } = {},
): KnownOutside {
  const folder = auditDirOf(settings);
  const inFolder = (name: string): string | undefined => {
    const path = join(folder, name);
    return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  };
  const named = (name: string, note: string | undefined): NamedCheckpoint[] => (note === undefined ? [] : [{ name, note }]);
  return {
    checkpoints: [
      ...named('the last checkpoint, kept outside the database,', inFolder('audit-checkpoint')),
      ...(flags.checkpoint === undefined ? [] : named(flags.checkpoint, readFileSync(flags.checkpoint, 'utf8'))),
    ],
    keys: flags.key ?? inFolder('audit-key.pub')?.trim().split('\n'),
  };
}

interface LogState {
  /** Entries verified. */
  readonly size: number;
  /** Entries that a signed checkpoint covers. */
  readonly covered: number;
  readonly isWhole: boolean;
  readonly acts: ActCheck;
}

export interface LogOptions {
  readonly known: KnownOutside;
  readonly decisions?: DecisionCheck;
  readonly onProblem: (text: string) => void;
  readonly isEnded?: (done: number, total: number) => boolean;
}

/** Verifies every row of the log in the database, against the checkpoint there and against what is known outside. */
export async function verifyLog(db: Queryable, { known, decisions, onProblem, isEnded }: LogOptions): Promise<LogState> {
  const stored = await readStored(db, known, onProblem);
  const keys = known.keys ?? stored.keys;
  const checkpoints = [...stored.checkpoints, ...known.checkpoints];
  const acts = await ActCheck.open();
  const { size, roots, isWhole } = await verifyStored(db, {
    sizes: checkpoints.map(sizeOf),
    onProblem,
    onEntry: async (entry, fits) => {
      await acts.see(entry, fits);
      await decisions?.see(entry);
    },
    ...(isEnded === undefined ? {} : { isEnded }),
  });
  if (isWhole) {
    acts.end({ isPart: false, onProblem });
    await requireLatest(db, known, onProblem);
  }
  const opened = isWhole ? checkpoints.map((checkpoint) => checkCheckpoint(checkpoint, keys, roots, onProblem)) : [];
  return { size, covered: Math.max(0, ...opened.map((each) => each?.size ?? 0)), isWhole, acts };
}

/** An earlier checkpoint is signed too. Read last: the writer keeps a new one outside first. */
async function requireLatest(db: Queryable, known: KnownOutside, onProblem: (text: string) => void): Promise<void> {
  const { rows } = await db.query<{ note: string }>('SELECT note FROM audit.checkpoint');
  for (const { note } of rows) {
    const size = sizeOf({ name: '', note });
    for (const { name } of known.checkpoints.filter((each) => sizeOf(each) > size))
      onProblem(
        `audit.checkpoint is over ${size} entries, and ${name} is over more: the next start of audit-writer publishes the last one`,
      );
  }
}

/** The row of audit.checkpoint, with its parts compared with one another. */
async function readStored(db: Queryable, known: KnownOutside, onProblem: (text: string) => void) {
  const { rows } = await db.query<{ size: bigint; note: string; keys: string | null }>('SELECT size, note, keys FROM audit.checkpoint');
  const checkpoints = rows.map(({ note }): NamedCheckpoint => ({ name: 'the checkpoint in the database', note }));
  if (rows.length > 1) onProblem(`audit.checkpoint has ${rows.length} rows instead of one`);
  if (rows.length === 0)
    onProblem(known.checkpoints.length === 0 ? 'nothing is signed' : 'audit.checkpoint has no row, and a checkpoint was signed');
  for (const [n, { size, keys }] of rows.entries()) {
    const checkpoint = checkpoints[n] as NamedCheckpoint;
    if (sizeOf(checkpoint) !== Number(size)) onProblem(`audit.checkpoint has the size ${size}, and its note has ${sizeOf(checkpoint)}`);
    const named = keys?.split('\n') ?? [];
    const signers = openSigned({ ...checkpoint, name: 'the keys in audit.checkpoint' }, named, onProblem)?.signers ?? [];
    if (signers.length > 0 && signers.length !== named.length) onProblem('audit.checkpoint has keys that have not signed');
  }
  return { checkpoints, keys: rows[0]?.keys?.split('\n') ?? [] };
}
