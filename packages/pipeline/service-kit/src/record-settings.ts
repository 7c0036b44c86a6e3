import type { Clock } from '@weir/clock';
import { advisoryLock, type Pool, transaction } from '@weir/postgres';
import { recordActivity, weir } from './access/activities.ts';
import type { Setting } from './config.ts';
import { withoutQueryValues } from './redact.ts';

/**
 * Records the settings of a process that are not the default, if they differ from those of its last start. Secrets are masked, so another
 * value of a secret is no difference.
 */
export async function recordSettings(pool: Pool, process: { name: string; settings: readonly Setting[]; clock: Clock }): Promise<void> {
  const { name, settings, clock } = process;
  const details = Object.fromEntries(
    settings
      .filter(({ isDefault }) => !isDefault)
      .map(({ env, value }) => [env, value.includes('://') ? withoutQueryValues(value) : value]),
  );
  await transaction(pool, async (tx) => {
    // Replicas start at once.
    await tx.query(`SELECT ${advisoryLock('settings-record')}`);
    const { rows } = await tx.query<{ details: { name: string; value: string }[] }>(
      `SELECT details FROM access.activities WHERE subject = $1 AND action = 'settings_changed' ORDER BY number DESC LIMIT 1`,
      [name],
    );
    const before = Object.fromEntries((rows[0]?.details ?? []).map((detail) => [detail.name, detail.value]));
    if (rows.length > 0 && isSame(before, details)) return;
    await recordActivity(tx, { action: 'settings_changed', subjectType: 'settings', subject: name, by: weir, details, at: clock.now() });
  });
}

function isSame(one: Readonly<Record<string, string>>, other: Readonly<Record<string, string>>): boolean {
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name]);
}
