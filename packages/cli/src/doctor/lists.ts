import { ageWords } from '@weir/chain-store';
import type { Clock } from '@weir/clock';
import type { Pool } from '@weir/postgres';
import { readListHealth } from '@weir/risk-api';
import type { AllSettings } from '../settings.ts';
import { type Finding, ok, remark } from './finding.ts';

/** Age and failures of the published lists that are kept fresh. Nothing without any, and where another risk API is asked. */
export async function examineLists(pool: Pool, settings: AllSettings, clock: Clock): Promise<Finding[]> {
  if (settings.lists === '' || settings.upstreamUrl !== '') return [];
  const { rows } = await pool.query<{ found: boolean }>(`SELECT to_regclass('chain.label_lists') IS NOT NULL AS found`);
  if (rows[0]?.found !== true) return [];
  const now = clock.now();
  return (await readListHealth(pool, settings, { now, since: now })).map(({ name, ageMs, isChecked, isStale, failures, error }) => {
    const checked = isChecked ? `checked ${ageWords(ageMs)} ago` : 'never checked: start Weir, or run "weir labels sync"';
    const failed = failures === 0 ? '' : `; ${failures} failed since, the last: ${error ?? 'unknown'}`;
    const detail = `${checked}${failed}`;
    return isChecked && !isStale && failures === 0 ? ok(`list ${name}`, detail) : remark(`list ${name}`, detail);
  });
}
