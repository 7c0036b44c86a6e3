import { parseAddress } from '@weir/chains';
import { fromUnits } from '../decimal.ts';
import type { LeftOut, TransferRow } from '../rows.ts';
import { index, instant, optional, Unusable } from '../source/fields.ts';
import type { Fields } from '../source/records.ts';
import { addressInWord, writtenAddress, writtenTxid } from '../written.ts';
import { logPosition, nativePosition } from './position.ts';
import { nativeOf, type Scope, tokenOf } from './scope.ts';

/** A movement of a chain's own coin. */
export interface NativeMove {
  readonly txid: string;
  readonly from: string;
  readonly to: string;
  /** In the smallest unit. */
  readonly value: bigint;
  readonly time: string;
  /** 0 unless it is no transaction's own. */
  readonly position?: number;
}

/** A movement of a token, as a log tells it. */
export interface TokenMove {
  readonly txid: string;
  readonly from: string;
  readonly to: string;
  readonly contract: string;
  readonly value: bigint;
  readonly time: string;
  readonly position: number;
  /** For contracts that the table of coins does not know. */
  readonly decimals?: number;
}

/** What moved nothing is left out: anybody can make a transfer of nothing in anybody's name. */
export function nativeRows(scope: Scope, move: NativeMove): readonly TransferRow[] | LeftOut {
  if (move.value === 0n) return 'of no value';
  const coin = nativeOf(scope.chain);
  return [
    {
      ...endsOf(scope, move),
      position: move.position ?? nativePosition,
      coin: coin.symbol,
      amount: fromUnits(move.value, coin.decimals),
      usdValue: null,
    },
  ];
}

/** A contract that the table of coins does not know is a coin of its own, and without its decimals the amount is not known. */
export function tokenRows(scope: Scope, move: TokenMove): readonly TransferRow[] | LeftOut {
  if (move.value === 0n) return 'of no value';
  const contract = parseAddress(scope.chain, writtenAddress(scope.chain, move.contract));
  if (contract === undefined) throw new Unusable(`the contract is no address of ${scope.chain}`);
  const coin = tokenOf(scope.chain, contract);
  const decimals = coin?.decimals ?? move.decimals;
  return [
    {
      ...endsOf(scope, move),
      position: move.position,
      coin: coin?.symbol ?? contract,
      amount: decimals === undefined ? null : fromUnits(move.value, decimals),
      usdValue: null,
    },
  ];
}

function endsOf({ chain, source }: Scope, { txid, from, to, time }: NativeMove | TokenMove) {
  return {
    chain,
    txid: writtenTxid(chain, txid),
    fromAddress: writtenAddress(chain, from),
    toAddress: writtenAddress(chain, to),
    time,
    source,
  };
}

/** keccak256 of `Transfer(address,address,uint256)`. */
export const transferTopic = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

/** A log as every kind of export has it, in hex with or without `0x`. */
export interface Log {
  readonly txid: string;
  readonly contract: string;
  readonly topics: readonly string[];
  readonly data: string;
  readonly logIndex: number;
}

/**
 * The transfer that a log tells, `no transfer` for other events. From, to and value may each stand in a topic or in the data, as older contracts have it;
 * with all three in topics it is ERC-721, whose "value" is the number of a token.
 */
export function logRows(scope: Scope, log: Log, time: () => string): readonly TransferRow[] | LeftOut {
  const [event, ...topics] = log.topics.map(digitsOf);
  if (event !== transferTopic) return 'no transfer';
  const words = [...topics, ...(digitsOf(log.data).match(/.{64}/g) ?? [])];
  const [from, to, value] = words;
  if (from === undefined || to === undefined || value === undefined || words.length !== 3) return 'no transfer';
  const ends = [addressInWord(scope.chain, from), addressInWord(scope.chain, to)];
  if (ends[0] === undefined || ends[1] === undefined || !/^[0-9a-f]{64}$/.test(value)) return 'no transfer';
  const { txid, contract, logIndex } = log;
  return tokenRows(scope, {
    txid,
    contract,
    from: ends[0],
    to: ends[1],
    value: BigInt(`0x${value}`),
    time: time(),
    position: logPosition(logIndex),
  });
}

const digitsOf = (text: string): string => text.toLowerCase().replace(/^(0x|\\x)/, '');

/** The topics of a log: a list, or one text in which they stand one after the other. */
export function topicsOf(fields: Fields): string[] {
  const { topics } = fields;
  if (Array.isArray(topics)) return (topics as unknown[]).map((topic) => (typeof topic === 'string' ? topic : ''));
  const columns = ['topic0', 'topic1', 'topic2', 'topic3'].map((name) => optional(fields, name)).filter((topic) => topic !== undefined);
  return optional(fields, 'topics')?.match(/(?:0x|\\x)?[0-9a-fA-F]{64}/g) ?? columns;
}

/** When it happened: its own time, or that of its block. */
export function timeOf(scope: Scope, fields: Fields): string {
  const own = optional(fields, 'block_timestamp', 'timestamp', 'item_timestamp');
  if (own !== undefined) return instant(own, 'block_timestamp');
  if (optional(fields, 'block_number', 'block_id') === undefined) throw new Unusable('block_timestamp is missing');
  const height = index(fields, 'block_number', 'block_id');
  const time = scope.blockTime?.(height);
  if (time === undefined) throw new Unusable(`block_timestamp is missing, and no file of blocks gives the time of block ${height}`);
  return time;
}

/** Tables with gaps make floats of whole numbers, so a failure may stand there as 0.0. */
const failure = /^(0(\.0+)?|0x0+|false|f|fail|failed|failure|revert|reverted)$/i;
const success = /^(1(\.0+)?|0x0*1|true|t|ok|success|succeeded)$/i;

/**
 * False where the source says that the transaction failed; a source that does not say is believed to list what happened. Throws `Unusable` for a word that is
 * neither: what failed must not count as paid because nobody understood it.
 */
export function succeeded(fields: Fields, ...names: readonly string[]): boolean {
  const status = optional(fields, ...names);
  if (status === undefined || success.test(status)) return true;
  if (failure.test(status)) return false;
  throw new Unusable(`${names[0]} says neither that it succeeded nor that it failed`);
}

/** Streams and nodes tell of a log once more when the chain has taken back its block. */
export function takenBack(log: Fields): boolean {
  return optional(log, 'removed')?.toLowerCase() === 'true';
}
