import { erasureJournalOf } from '@weir/installation';
import { migrateForPrivacy, reopenErasures } from '@weir/installation/privacy';
import { type Difference, differencesOf } from './difference.ts';
import type { Reconciling } from './run.ts';

/** What people have erased since the backup came back with it. The services erase it when they run: the act must be in the log first. */
export async function compareErasures({ pipeline, settings, mend }: Reconciling): Promise<Difference[]> {
  const journal = erasureJournalOf(settings);
  if (mend) await migrateForPrivacy(pipeline.pool);
  const { reopened, torn } = await reopenErasures(pipeline.pool, { journal, mend });
  return [
    ...differencesOf(
      reopened,
      { about: 'erasures', state: 'mended' },
      {
        detail: ({ erasureId, screenings }) =>
          `erasure ${erasureId}: ${screenings.length} transfers came back; "weir start" or "weir privacy expire" erases them`,
        rest: (count) => `${count} more erasures`,
      },
    ),
    ...torn.map(
      (line): Difference => ({
        about: 'erasures',
        state: 'mended',
        detail: `${journal}:${line} is no erasure: its writer was killed before it erased`,
      }),
    ),
  ];
}
