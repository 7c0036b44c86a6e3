import { systemClock } from '@weir/clock';
import { lineOf } from '../failure.ts';
import type { AllSettings } from '../settings.ts';
import { faultsOfSettings } from '../start/check-settings.ts';
import { type Finding, ok, wrong } from './finding.ts';

/** Whether the settings fit together, as the start wants them to. That each is right by itself was checked when they were read. */
export async function examineSettings(settings: AllSettings): Promise<Finding[]> {
  const faults = await faultsOfSettings(settings, systemClock);
  return faults.length === 0 ? [ok('settings', 'fit together')] : faults.map(({ about, error }) => wrong(about, lineOf(error)));
}
