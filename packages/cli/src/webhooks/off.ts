import { systemClock } from '@weir/clock';
import { forgetWebhooks } from '@weir/console';
import { confirm } from '../confirm.ts';
import type { PlaceFlags } from '../flags.ts';
import { withInstallation } from '../installation.ts';
import { operator } from '../operator.ts';
import { note } from '../output.ts';

/** Ends webhooks for good: their group then begins as at its first start. */
export async function switchOff(flags: PlaceFlags & { yes?: true }): Promise<void> {
  await withInstallation(flags, async ({ pool, log }) => {
    if (!(await confirm('Forget which decisions were sent? Switched on again, webhooks begin as at their first start.', flags.yes)))
      return note('Nothing was changed.');
    await forgetWebhooks(pool, log, { by: operator(), now: systemClock.now() });
    note('Webhooks are off for good. Unset WEIR_WEBHOOK_URL, or they begin again at the next start.');
  });
}
