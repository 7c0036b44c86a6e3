import { migrate } from '@weir/postgres';
import { agreementSince, disagreementsSince, scoringMigrations, standingOf } from '@weir/scoring';
import type { PlaceFlags } from '../flags.ts';
import { withInstallation } from '../installation.ts';
import { note, plain, print, printJson, table } from '../output.ts';

interface CompareFlags extends PlaceFlags {
  readonly since?: Date;
  readonly limit: number;
  readonly json?: true;
}

/** Agreement of the provider in shadow with the deciding one, and the newest disagreements. */
export async function compareProviders({ since = new Date(0), limit, json, ...flags }: CompareFlags): Promise<void> {
  await withInstallation(flags, async ({ pool }) => {
    await migrate(pool, 'scoring', scoringMigrations);
    const agreement = await agreementSince(pool, since);
    const disagreements = await disagreementsSince(pool, since, limit);
    if (json) {
      const listed = disagreements.map(({ asked_at, ...one }) => ({ ...one, asked_at: asked_at.toISOString() }));
      return printJson({ ...agreement, disagreements: listed });
    }
    const { compared, unanswered, same_level, levels, categories } = agreement;
    if (compared + unanswered === 0) return note('No result was compared; WEIR_SECOND_ROLE=shadow asks a second provider.');
    await print(
      `${compared} results compared, ${same_level} of the same level, ${unanswered} without an answer of the second provider\n\n`,
    );
    await print(
      table(
        ['FIRST', 'SECOND', 'RESULTS'],
        levels.map(({ first, second, count }) => [first, second, String(count)]),
      ),
    );
    const rows = categories.map(({ category, both, first_only, second_only }) => [
      plain(category),
      String(both),
      String(first_only),
      String(second_only),
    ]);
    if (rows.length > 0) await print(`\n${table(['CATEGORY', 'BOTH', 'FIRST ONLY', 'SECOND ONLY'], rows)}`);
    const listed = disagreements.map(({ screening_id, asked_at, first, second }) => [
      asked_at.toISOString(),
      screening_id,
      `${standingOf(first)} ${first.categories.join(' ')}`,
      `${standingOf(second)} ${second.categories.join(' ')}`,
    ]);
    if (listed.length > 0) await print(`\n${table(['ASKED', 'SCREENING', 'FIRST', 'SECOND'], listed)}`);
  });
}
