export { chainNamed } from './chain-names.ts';
export { checkCoSpend, checkLabel, checkTransfer, type Fault, type Label, type Transfer } from './checks.ts';
export {
  type LabelFileOptions,
  type LabelFormat,
  labelFormats,
  readLabelFile,
  readTransferFile,
  type TransferFileOptions,
  type TransferFormat,
  transferFormats,
} from './formats.ts';
export { detectLabelFormat } from './labels/detect.ts';
export { isListFormat, type ListFormat, readSanctionsList } from './labels/listings/read-list.ts';
export { assetOfFile } from './labels/listings/plain-addresses.ts';
export { labelColumns } from './labels/generic.ts';
export type { MappedWord, UnknownWord } from './labels/tag.ts';
export { neutralised, unneutralised } from './source/formulas.ts';
export { download, type Download, type Version } from './published/download.ts';
export { fromUnits, multiply } from './decimal.ts';
export { ListError, type ListFault } from './published/list-error.ts';
export { type PublishedList, publishedLists } from './published/lists.ts';
export { priced, type PriceFile, type Prices, readPrices } from './prices/prices.ts';
export {
  type CoSpend,
  type LabelRow,
  type LeftOut,
  type Reader,
  type SourceKind,
  sourceKinds,
  type SourceRecord,
  type TransferRow,
} from './rows.ts';
export type { Block } from './rpc/block.ts';
export { checkChain, hashAt, heightOf, type Node, NodeError, openNode } from './rpc/node.ts';
export { findTraceMethod, type TraceMethod } from './rpc/traces.ts';
export { readSolanaBlocks, solanaHashAt, solanaSlot } from './rpc/solana-block.ts';
export { readTronBlock, tronHashAt, tronHeight } from './rpc/tron-block.ts';
export { openTronNode, type TronNode } from './rpc/tron-node.ts';
export { readUtxoBlock, utxoHashAt, utxoHeight } from './rpc/utxo-block.ts';
export { type BlockRange, findRange, readBlocks, readRange } from './rpc/range.ts';
export { parseInstant } from './time.ts';
export { mapRows } from './source/records.ts';
export { readBlockTimes } from './transfers/block-times.ts';
export { readTransactionIds } from './transfers/transaction-ids.ts';
export { positionsFrom } from './transfers/position.ts';
export { readFailures } from './transfers/failures.ts';
export { transferColumns } from './transfers/generic.ts';
