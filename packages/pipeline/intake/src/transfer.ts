import { createHash } from 'node:crypto';
import {
  hintForCoin,
  type Chain,
  type Coin,
  findChain,
  memoForm,
  parseAccount,
  parseAddress,
  parseAmount,
  parseMemo,
  parseTxid,
  readCoin,
} from '@weir/chains';
import { questionOf, type ReasonCode, type ScreeningRequested, screeningId, type Transfer, type TransferFault } from '@weir/contracts';
import { type InputProblem, inputProblems, inWords } from '@weir/service-kit';
import { recordForms } from './fields.ts';
import { type RawTransfer, toDeposit, toWithdrawal } from './raw-transfer.ts';

/** A malformed input, which cannot be screened. */
export interface Malformed {
  readonly problems: readonly InputProblem[];
}

/** A well-formed transfer that no chain could execute, or that its caller must correct. */
interface Fault extends InputProblem {
  readonly fault: TransferFault;
}

/** A well-formed transfer. With a fault it is held without a lookup; otherwise every part is normalised. */
export interface CheckedTransfer {
  /** The input, verbatim. */
  readonly given: RawTransfer;
  readonly transfer: Transfer;
  readonly faults: readonly Fault[];
  /** Reason codes that do not hold the transfer. */
  readonly warnings: readonly ReasonCode[];
  readonly screeningId: string;
}

/** Checks the form and normalises. An unknown coin or chain is a fault, not malformed input: the transfer is real. */
export function checkTransfer(raw: RawTransfer): CheckedTransfer | Malformed {
  const record = raw.kind === 'deposit' ? toDeposit(raw) : toWithdrawal(raw);
  const { error } = recordForms[raw.kind].safeParse(record, { error: inWords });
  return error === undefined ? checkWellFormed(raw) : { problems: inputProblems(error.issues, `a ${raw.kind}`) };
}

/** `checkTransfer` of a transfer whose form was checked, such as a parsed body. */
export function checkWellFormed(raw: RawTransfer): CheckedTransfer {
  const coin = readCoin(raw.coin, raw.chain);
  const chain = raw.chain === null ? coin?.chain : findChain(raw.chain);
  const amount = parseAmount(raw.amount) ?? raw.amount;
  const parsed = chain === undefined ? {} : parse(chain, raw);
  const transfer: Transfer = {
    kind: raw.kind,
    source_id: raw.source_id,
    // An unknown chain or coin keeps the caller's text, which the fault is about.
    chain: chain ?? raw.chain ?? '',
    coin: coin?.symbol ?? raw.coin,
    txid: parsed.txid ?? raw.txid,
    from_address: parsed.from_address ?? raw.from_address,
    to_address: parsed.to_address ?? raw.to_address,
    amount,
    usd_value: raw.usd_value === null ? null : (parseAmount(raw.usd_value) ?? raw.usd_value),
    user_id: raw.user_id,
    occurred_at: raw.occurred_at,
    memo: chain === undefined ? raw.memo || null : memoOf(raw, chain),
  };
  return {
    given: raw,
    transfer,
    faults: findFaults(raw, coin, { amount, parsed }),
    warnings: [],
    screeningId: screeningId(raw.kind, raw.source_id),
  };
}

type Parsed = { readonly [part in 'txid' | 'from_address' | 'to_address']?: string | undefined };

/** Normalised. A checksum in an address is a hash, so each is read once. */
function parse(chain: Chain, { txid, from_address, to_address }: RawTransfer): Parsed {
  return {
    txid: txid === null ? undefined : parseTxid(chain, txid),
    from_address: from_address === null ? undefined : parseAddress(chain, from_address),
    to_address: parseAddress(chain, to_address),
  };
}

export function isMalformed(result: CheckedTransfer | Malformed): result is Malformed {
  return 'problems' in result;
}

/** The request for the first screening of a checked transfer, independent of the current time. */
export function firstRequest(checked: CheckedTransfer, deadlineMs: number, tokenId: string | null = null): ScreeningRequested {
  const { given, transfer } = checked;
  return {
    screening_id: checked.screeningId,
    attempt: 1,
    kind: transfer.kind,
    chain: transfer.chain,
    coin: transfer.coin,
    ...questionOf(transfer),
    lane: transfer.kind,
    fault: checked.faults[0]?.fault ?? null,
    requested_at: given.received_at,
    deadline_at: given.received_at + deadlineMs,
    transfer,
    renews_revision: null,
    warnings: [...checked.warnings],
    token_id: tokenId,
  };
}

/** Every fault, in the order of the fields. `amount`: in canonical form. */
function findFaults(raw: RawTransfer, coin: Coin | undefined, { amount, parsed }: { amount: string; parsed: Parsed }): Fault[] {
  if (coin === undefined) return [{ fault: 'UNSUPPORTED_COIN', field: 'coin', detail: `the coin ${raw.coin} is not known` }];
  return [...findMisplaced(raw, coin, parsed), ...findBadAmount(coin, amount), ...findBadMemo(raw, coin)].map((found) => ({
    fault: 'INVALID_TRANSFER',
    ...found,
  }));
}

/** What is not of the coin's chain. Under another chain's name nothing else can be judged. */
function findMisplaced(raw: RawTransfer, { symbol, chain }: Coin, parsed: Parsed): InputProblem[] {
  const named = raw.chain === null ? chain : (findChain(raw.chain) ?? raw.chain);
  if (named !== chain) {
    const hint = hintForCoin(raw.coin, raw.chain);
    return [
      {
        field: 'chain',
        detail: `chain: ${symbol} is not a coin of ${named}`,
        ...(hint !== undefined && hint !== `${symbol}?` && { hint }),
      },
    ];
  }
  const isWrong = (field: keyof Parsed): boolean => raw[field] !== null && parsed[field] === undefined;
  const wrongTxid = isWrong('txid');
  const addresses = (['from_address', 'to_address'] as const).filter(isWrong);
  return [
    ...(wrongTxid ? [{ field: 'txid', detail: `txid is not a transaction id of ${chain}` }] : []),
    ...addresses.map((field) => ({ field, detail: `${field} is not an address of ${chain}` })),
  ];
}

/** Of the transfer, or in its receiver's address. The caller's text where the chain has no such memo. */
function memoOf({ memo, to_address }: RawTransfer, chain: Chain): string | null {
  if (memoForm(chain) === undefined) return memo || null;
  const held = parseAccount(chain, to_address)?.memo ?? null;
  return memo ? (parseMemo(chain, memo) ?? memo) : held;
}

/** An X-address or a muxed account holds a memo, which another one beside it contradicts. */
function findBadMemo({ memo, to_address }: RawTransfer, { chain }: Coin): InputProblem[] {
  if (!memo) return [];
  const form = memoForm(chain);
  if (form === undefined) return [{ field: 'memo', detail: `memo: ${chain} has none`, hint: 'leave it out' }];
  const parsed = parseMemo(chain, memo);
  if (parsed === undefined) return [{ field: 'memo', detail: `memo: ${form}` }];
  const held = parseAccount(chain, to_address)?.memo;
  return held === undefined || held === parsed ? [] : [{ field: 'memo', detail: `memo: to_address holds another one, ${held}` }];
}

function findBadAmount({ symbol, decimals }: Coin, amount: string): InputProblem[] {
  if (amount === '0') return [{ field: 'amount', detail: 'amount must be more than 0' }];
  const [, fraction = ''] = amount.split('.');
  return fraction.length > decimals ? [{ field: 'amount', detail: `amount: ${symbol} has ${decimals} decimal places` }] : [];
}

/** SHA-256 without the times, equal for repeats. It depends on the known coins, so compare it only with one made now. */
export function contentSha256({ transfer: t }: CheckedTransfer): string {
  const content = [t.kind, t.source_id, t.chain, t.coin, t.txid, t.from_address, t.to_address, t.amount, t.usd_value, t.user_id, t.memo];
  return createHash('sha256').update(JSON.stringify(content)).digest('hex');
}
