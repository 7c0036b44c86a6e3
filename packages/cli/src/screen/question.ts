import { type Chain, displayAddress, hintForAddress, hintForCoin, parseAddress, parseAmount, parseTxid, readCoin } from '@weir/chains';
import type { Direction, Kind } from '@weir/contracts';

/** A validated and normalised question. */
export interface Question {
  readonly coin: string;
  readonly chain: Chain;
  /** Exactly one of the two. */
  readonly address: string | null;
  readonly txid: string | null;
  readonly direction: Direction;
  readonly kind: Kind;
  /** Decimal string. */
  readonly usd_value: string | null;
  /** Receiver of the transaction, normalised. */
  readonly to_address: string | null;
  /** Decimal string, in the coin. */
  readonly amount: string | null;
}

/** The user's input; an empty text counts as absent. */
export interface Asked {
  readonly coin: string;
  /** An address or a transaction id, which never look alike. */
  readonly target: string;
  readonly direction?: string | undefined;
  readonly kind?: string | undefined;
  readonly usd_value?: string | undefined;
  readonly to_address?: string | undefined;
  readonly amount?: string | undefined;
}

/** Why the input cannot be looked up: the pipeline's outcome, and a text for a person. */
export interface Fault {
  readonly outcome: 'UNSUPPORTED' | 'INVALID';
  readonly said: string;
}

export function readQuestion(asked: Asked): Question | Fault {
  const coin = readCoin(asked.coin);
  if (coin === undefined) {
    return { outcome: 'UNSUPPORTED', said: withHint(`the coin ${quote(asked.coin)} is not known`, hintForCoin(asked.coin, null)) };
  }
  const address = parseAddress(coin.chain, asked.target) ?? null;
  const txid = address === null ? (parseTxid(coin.chain, asked.target) ?? null) : null;
  if (address === null && txid === null) {
    const said = `${quote(asked.target)} is neither an address nor a transaction of ${coin.chain}`;
    return { outcome: 'INVALID', said: withHint(said, hintForAddress(coin, asked.target)) };
  }
  const direction = oneOf(asked.direction, ['deposit', 'withdraw'] as const);
  if (direction === false) return { outcome: 'INVALID', said: 'the direction must be deposit or withdraw' };
  const kind = oneOf(asked.kind, ['deposit', 'withdrawal'] as const);
  if (kind === false) return { outcome: 'INVALID', said: 'the kind must be deposit or withdrawal' };
  const usd_value = given(asked.usd_value) ? parseAmount(asked.usd_value) : null;
  if (usd_value === undefined) return { outcome: 'INVALID', said: 'the USD value must be a decimal number such as 1250.50' };
  const to_address = given(asked.to_address) ? parseAddress(coin.chain, asked.to_address) : null;
  if (to_address === undefined)
    return { outcome: 'INVALID', said: `the receiver ${quote(asked.to_address ?? '')} is no address of ${coin.chain}` };
  const amount = given(asked.amount) ? parseAmount(asked.amount) : null;
  if (amount === undefined) return { outcome: 'INVALID', said: 'the amount must be a decimal number such as 0.25' };
  return {
    coin: coin.symbol,
    chain: coin.chain,
    address,
    txid,
    usd_value,
    to_address,
    amount,
    // Each follows from the other where only one is given.
    direction: direction ?? (kind === 'withdrawal' ? 'withdraw' : 'deposit'),
    kind: kind ?? (direction === 'withdraw' ? 'withdrawal' : 'deposit'),
  };
}

export function subjectOf({ chain, address, txid }: Question): string {
  return address !== null ? displayAddress(chain, address) : (txid ?? '');
}

function given(text: string | undefined): text is string {
  return text !== undefined && text !== '';
}

/** Undefined for no input, false for an unknown word. */
function oneOf<T extends string>(text: string | undefined, words: readonly T[]): T | undefined | false {
  if (text === undefined || text === '') return undefined;
  return words.find((word) => word === text.toLowerCase()) ?? false;
}

function withHint(said: string, hint: string | undefined): string {
  return hint === undefined ? said : `${said}: ${hint}`;
}

function quote(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}
