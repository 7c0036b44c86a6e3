import { parseInstant } from '@weir/chain-import';
import type { Snapshot } from '@weir/chain-store';
import { UsageError } from '../failure.ts';
import { given } from '../import/check-flags.ts';

export interface SnapshotFlags {
  readonly snapshot?: true;
  readonly asOf?: string;
  readonly allowRemovals?: number;
}

/** Two files that are each the whole of one source would end each other's labels. */
export function snapshotOf(files: readonly string[], { snapshot, asOf: text, allowRemovals }: SnapshotFlags): Snapshot | undefined {
  if (snapshot === undefined) {
    if (text !== undefined || allowRemovals !== undefined) throw new UsageError('--as-of and --allow-removals go with --snapshot');
    return undefined;
  }
  if (files.length > 1) throw new UsageError('--snapshot takes one file, which is the whole of its sources');
  const asOf = text === undefined ? undefined : parseInstant(text);
  if (text !== undefined && asOf === undefined) throw new UsageError('--as-of must be a date or a time in ISO 8601');
  return given({ asOf, allowRemovals });
}

/** Parts of the import's key. A higher limit goes on with the same import. */
export function snapshotParts(snapshot: Snapshot | undefined): object {
  return snapshot === undefined ? {} : { snapshot: true, ...given({ asOf: snapshot.asOf?.toISOString() }) };
}
