export { type SampleDeposit, sampleDeposits } from './deposits.ts';
export { type SampleCategory, type SampleLabel, sampleLabels } from './labels.ts';
export { type SampleTransfer, sampleTransfers } from './transfers.ts';
export { sampleVersion } from './version.ts';
