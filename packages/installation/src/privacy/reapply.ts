import { findTransferIds } from '@weir/intake';
import { type Erased, type Erasing, eraseScreenings } from './erase.ts';
import { readErasures } from './journal.ts';

/** Erases again what a restored backup brought back, by the journal. */
export async function reapplyErasures(of: Erasing, journal: string): Promise<readonly (Erased & { readonly erasureId: string })[]> {
  const done: (Erased & { erasureId: string })[] = [];
  for (const { erasure_id: erasureId, cause, screenings } of readErasures(journal)) {
    const present = await findTransferIds(of.pool, screenings);
    if (present.length === 0) continue;
    done.push({ erasureId, ...(await eraseScreenings(of, { erasureId, cause: parsed(cause), screenings: present })) });
    await of.pool.query('UPDATE access.erasures SET user_id = NULL, done_at = now() WHERE erasure_id = $1 AND done_at IS NULL', [
      erasureId,
    ]);
  }
  return done;
}

/** JSON has no dates. */
function parsed<T extends { readonly kind: string }>(cause: T): T {
  return 'before' in cause ? { ...cause, before: new Date(cause.before as string) } : cause;
}
