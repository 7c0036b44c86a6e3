export { importChainRecords, type ImportOptions } from './import/import-records.ts';
export { ImportConflict, type ImportRun, listImports } from './import/import-runs.ts';
export type { RecordKind } from './import/kinds.ts';
export { type Snapshot, TooManyRemovals } from './import/snapshot.ts';
export { type LabelChange, labelChangesAfter, latestLabelChanges, type TracedLabelChange } from './label-changes/label-changes.ts';
export { type Loaded, loadLabels, loadTransfers } from './import/load.ts';
export { changeRecorder } from './import/change-recorder.ts';
export type { ImportObserver } from './import/observer.ts';
export {
  beginFollowing,
  type FollowedChain,
  keptHashes,
  readFollowedChain,
  readFollowedChains,
  recordCaughtUp,
  recordFollowError,
  recordHead,
} from './follow/followed-chains.ts';
export { type RemovedBlocks, removeBlocks } from './follow/remove-blocks.ts';
export { FollowConflict, storeBlocks, UnlinkedBlock } from './follow/store-blocks.ts';
export {
  countWatched,
  dueCorrections,
  findWatched,
  listWatched,
  listWatchedPayments,
  recordCorrection,
  unwatchAddresses,
  watchAddresses,
  type WatchedAddress,
} from './watch/watched.ts';
export { addLabelLists, allLabelLists, type LabelList, readLabelLists, recordCheck, recordFailure } from './lists/label-lists.ts';
export { chainStoreMigrations, chainStoreModule } from './migrations.ts';
export { type Correction, type Ended, endLabels, UnknownImport, type Withdrawn, withdrawLabels } from './corrections/correct-labels.ts';
export {
  answerLabelRequest,
  approvedLabelRequests,
  insertLabelRequest,
  type LabelRequest,
  type LabelRequestScope,
  listLabelRequests,
  lockLabelRequest,
  settleLabelRequest,
} from './corrections/label-requests.ts';
export { type LabelSource, labelSources } from './queries/label-sources.ts';
export { listedAuthorities } from './queries/authorities.ts';
export { addressActions } from './queries/actions.ts';
export { actions, labelTypes } from './queries/categories.ts';
export { addressCounterparties } from './queries/counterparties.ts';
export { contradictedAddresses } from './queries/contradictions.ts';
export { investigate } from './queries/investigation.ts';
export { labelHistory } from './queries/label-history.ts';
export { addressLabels } from './queries/labels.ts';
export { addressOverview } from './queries/overview.ts';
export { mostRows, type PageQuery, pageRows } from './queries/page.ts';
export { newestPrice } from './queries/prices.ts';
export { ageWords, type ChainData, type ChainDataSettings, type ChainDataStatus, readChainAges, readChainData } from './queries/status.ts';
export { createRiskStore } from './queries/store.ts';
export type { AddressSubject } from './queries/subject.ts';
export { addressTrace } from './queries/trace.ts';
