import { systemClock } from '@weir/clock';
import { lineOf } from '../failure.ts';
import type { AllSettings } from '../settings.ts';
import { faultsOfSettings } from '@weir/installation/services';
import { type Finding, ok, wrong } from './finding.ts';

/** Whether the settings are consistent with each other. Loading has checked each by itself. */
export async function examineSettings(settings: AllSettings): Promise<Finding[]> {
  const faults = await faultsOfSettings(settings, systemClock);
  return faults.length === 0 ? [ok('settings', 'fit together')] : faults.map(({ about, error }) => wrong(about, lineOf(error)));
}
