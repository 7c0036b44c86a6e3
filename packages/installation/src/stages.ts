/** Services of the pipeline, in the order in which they start. */
export const stageNames = ['audit-writer', 'console', 'decision', 'scoring', 'withdrawal-gate', 'deposit-ingest'] as const;

export type StageName = (typeof stageNames)[number];

const namesIn = (setting: string): string[] => setting.split(',').map((name) => name.trim());

/** Throws with the names that there are. */
export function checkStages(setting: unknown): void {
  if (setting === '') return;
  const isKnown = typeof setting === 'string' && namesIn(setting).every((name) => stageNames.some((known) => known === name));
  if (!isKnown) throw new Error(`must be services with commas: ${stageNames.join(', ')}`);
}

/** The services of a checked setting; all if it is empty. */
export function chosenStages(setting: string): readonly StageName[] {
  if (setting === '') return stageNames;
  const names = namesIn(setting);
  return stageNames.filter((name) => names.includes(name));
}
