import { dueCorrections, recordCorrection } from '@weir/chain-store';
import { repeat } from '@weir/clock';
import { screeningId } from '@weir/contracts';
import type { Intake } from '@weir/intake';
import type { Pipeline } from '@weir/service-kit';

const everyMs = 2_000;
const mostAtOnce = 250;

/** Holds deposits to watched addresses that the chain took back, and screens those again that it has again. Resolves once it has stopped. */
export function keepCorrecting({ pool, clock, logger }: Pipeline, intake: Intake, signal: AbortSignal): Promise<void> {
  const onError = (err: unknown): void => logger.warn({ err }, 'deposits that the chain took back could not be corrected; trying again');
  return repeat({ clock, every: everyMs, signal, onError }, async () => {
    // An installation without the risk service has no such table.
    const { rows } = await pool.query<{ there: boolean }>(`SELECT to_regclass('chain.watched_deposits') IS NOT NULL AS there`);
    if (rows[0]?.there !== true) return;
    for (const due of await dueCorrections(pool, mostAtOnce)) {
      const revision = await intake.correct(screeningId('deposit', due.depositId), due);
      if (revision !== undefined) await recordCorrection(pool, due, revision);
    }
  });
}
