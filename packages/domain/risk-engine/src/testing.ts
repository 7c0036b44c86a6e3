export type { CoSpendRow } from './testing/clusters.ts';
export { type LabelRow, memoryStore, type TransferRow } from './testing/memory-store.ts';
export { type PowerLaw, type PowerLawLabel, powerLawLabels, type PowerLawTransfer, powerLawTransfers } from './testing/power-law.ts';
