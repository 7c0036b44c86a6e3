import { screeningId } from '@weir/contracts';
import { reconcilePermits } from '@weir/withdrawal-gate';
import { type Difference, differencesOf } from './difference.ts';
import type { Reconciling } from './run.ts';

/** Redeemed permits stay redeemed, and no permit from before a restore stays open. */
export async function comparePermits({ pipeline, journal, restored, mend }: Reconciling): Promise<Difference[]> {
  const { forgotten, twice, torn, revoked, aged } = await reconcilePermits(pipeline.pool, { journal, restored, mend });
  const found = (state: Difference['state'], detail: string): Difference => ({ about: 'permits', state, detail });
  return [
    ...differencesOf(
      forgotten,
      { about: 'permits', state: 'mended' },
      {
        detail: (redemption) => `withdrawal ${redemption.withdrawal_id}: ${forgottenWords(redemption)}`,
        recorded: (redemption) => `screening ${screeningId('withdrawal', redemption.withdrawal_id)}: ${forgottenWords(redemption)}`,
        rest: (count) => `${count} more redeemed permits that the database had forgotten`,
      },
    ),
    ...twice.map(({ withdrawal_id, permit_id }): Difference => {
      const what = `permit ${permit_id} was redeemed beside another; look whether it left twice`;
      const recorded = `screening ${screeningId('withdrawal', withdrawal_id)}: ${what}`;
      return { ...found('named', `withdrawal ${withdrawal_id}: ${what}`), recorded };
    }),
    ...torn.map((place) => found('mended', `${place} is no redemption: its writer was killed before it answered`)),
    ...(revoked > 0 ? [found('mended', `${revoked} open permits are revoked: a forgotten decision may have revoked them`)] : []),
    ...(aged > 0 ? [found('mended', `${aged} allowed withdrawals are screened again before they get a permit`)] : []),
  ];
}

function forgottenWords({ permit_id }: { readonly permit_id: string }): string {
  return `permit ${permit_id} was redeemed, and the database had forgotten it`;
}
