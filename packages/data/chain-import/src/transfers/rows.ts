import { findToken, nativeCoin, parseAddress } from '@weir/chains';
import { fromUnits } from '../decimal.ts';
import type { LeftOut, TransferRow } from '../rows.ts';
import { index, instant, optional, Unusable } from '../source/fields.ts';
import type { Fields } from '../source/records.ts';
import { addressInWord, writtenAddress, writtenTxid } from '../written.ts';
import { logPosition, nativePosition } from './position.ts';
import type { Scope } from './scope.ts';

/** A movement of a chain's own coin. */
export interface NativeMove {
  readonly txid: string;
  readonly from: string;
  readonly to: string;
  /** In the smallest unit. */
  readonly value: bigint;
  readonly time: string;
  /** 0 by default, for the transaction's own value. */
  readonly position?: number;
}

/** A token transfer, from a log. */
export interface TokenMove {
  readonly txid: string;
  readonly from: string;
  readonly to: string;
  readonly contract: string;
  readonly value: bigint;
  readonly time: string;
  readonly position: number;
  /** For contracts outside the coin table. */
  readonly decimals?: number;
}

/** Skips zero values: anybody can send a transfer of nothing in anybody's name. */
export function nativeRows(scope: Scope, move: NativeMove): readonly TransferRow[] | LeftOut {
  if (move.value === 0n) return 'of no value';
  const coin = nativeCoin(scope.chain);
  return [
    {
      ...endsOf(scope, move),
      position: move.position ?? nativePosition,
      coin: coin.symbol,
      amount: fromUnits(move.value, coin.decimals),
      usd_value: null,
    },
  ];
}

/** A contract outside the coin table is a coin of its own. Without decimals its amount is unknown. */
export function tokenRows(scope: Scope, move: TokenMove): readonly TransferRow[] | LeftOut {
  if (move.value === 0n) return 'of no value';
  const contract = parseAddress(scope.chain, writtenAddress(scope.chain, move.contract));
  if (contract === undefined) throw new Unusable(`the contract is no address of ${scope.chain}`);
  const coin = findToken(scope.chain, contract);
  const decimals = coin?.decimals ?? move.decimals;
  return [
    {
      ...endsOf(scope, move),
      position: move.position,
      coin: coin?.symbol ?? contract,
      amount: decimals === undefined ? null : fromUnits(move.value, decimals),
      usd_value: null,
    },
  ];
}

function endsOf({ chain, source }: Scope, { txid, from, to, time }: NativeMove | TokenMove) {
  return {
    chain,
    txid: writtenTxid(chain, txid),
    from_address: writtenAddress(chain, from),
    to_address: writtenAddress(chain, to),
    time,
    source,
  };
}

/** keccak256 of `Transfer(address,address,uint256)`. */
export const transferTopic = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

/** A log from any export, in hex with or without `0x`. */
export interface Log {
  readonly txid: string;
  readonly contract: string;
  readonly topics: readonly string[];
  readonly data: string;
  readonly logIndex: number;
}

/**
 * `no transfer` for other events. From, to and value may be topics or data, as in older contracts.
 * Three topics mean ERC-721, whose "value" is a token id.
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

/** Topics as a list, or concatenated in one text. */
export function topicsOf(fields: Fields): string[] {
  const { topics } = fields;
  if (Array.isArray(topics)) return (topics as unknown[]).map((topic) => (typeof topic === 'string' ? topic : ''));
  const columns = ['topic0', 'topic1', 'topic2', 'topic3'].map((name) => optional(fields, name)).filter((topic) => topic !== undefined);
  return optional(fields, 'topics')?.match(/(?:0x|\\x)?[0-9a-fA-F]{64}/g) ?? columns;
}

/** The record's own time, or its block's. */
export function timeOf(scope: Scope, fields: Fields): string {
  const own = optional(fields, 'block_timestamp', 'timestamp', 'item_timestamp');
  if (own !== undefined) return instant(own, 'block_timestamp');
  if (optional(fields, 'block_number', 'block_id') === undefined) throw new Unusable('block_timestamp is missing');
  const height = index(fields, 'block_number', 'block_id');
  const time = scope.blockTime?.(height);
  if (time === undefined) throw new Unusable(`block_timestamp is missing, and no file of blocks gives the time of block ${height}`);
  return time;
}

/** Tables with gaps turn whole numbers into floats, so a failure may be 0.0. */
const failure = /^(0(\.0+)?|0x0+|false|f|fail|failed|failure|revert|reverted)$/i;
const success = /^(1(\.0+)?|0x0*1|true|t|ok|success|succeeded)$/i;

/**
 * False for a failed transaction; a source without a status lists only successes. Throws `Unusable` for an unknown word:
 * a failed transaction must never count as paid.
 */
export function succeeded(fields: Fields, ...names: readonly string[]): boolean {
  const status = optional(fields, ...names);
  if (status === undefined || success.test(status)) return true;
  if (failure.test(status)) return false;
  throw new Unusable(`${names[0]} says neither that it succeeded nor that it failed`);
}

/** Streams and nodes repeat a log when a reorganisation removes its block. */
export function takenBack(log: Fields): boolean {
  return optional(log, 'removed')?.toLowerCase() === 'true';
}
