import { createHash } from 'node:crypto';
import { type Coin, chains, findCoin, parseAddress, parseAmount, parseTxid } from '@weir/chains';
import {
  isRecordTime,
  questionOf,
  type ReasonCode,
  type ScreeningRequested,
  screeningId,
  type Transfer,
  type TransferFault,
} from '@weir/contracts';
import type { RawTransfer } from './raw-transfer.ts';

/** A malformed input, which cannot be screened. `field` is the caller's name for it. */
export interface Malformed {
  readonly field: string;
  readonly problem: string;
}

/** A well-formed transfer. With a `fault` it is held without a lookup; otherwise every part is normalised. */
export interface CheckedTransfer {
  /** The input, verbatim. */
  readonly given: RawTransfer;
  readonly transfer: Transfer;
  readonly fault: TransferFault | null;
  readonly faultField: string | null;
  readonly faultDetail: string | null;
  /** Reason codes that do not hold the transfer. */
  readonly warnings: readonly ReasonCode[];
  readonly screeningId: string;
  /** SHA-256 without the times, equal for repeats. It depends on the known coins, so compare it only with one made now. */
  readonly contentSha256: string;
}

const maxText = 256;

/** Checks the form and normalises. An unknown coin or chain is a fault, not malformed input: the transfer is real. */
export function checkTransfer(raw: RawTransfer): CheckedTransfer | Malformed {
  const malformed = checkForm(raw);
  if (malformed !== undefined) return malformed;
  const coin = findCoin(raw.coin);
  // An unfitting chain keeps the caller's text, which the fault is about.
  const chainName = raw.chain ?? coin?.chain ?? '';
  const chain = chains.find((known) => known === chainName);
  const amount = parseAmount(raw.amount) ?? raw.amount;
  const problem = findFault(raw, coin, amount);
  const normal = (address: string | null): string | null =>
    address === null || chain === undefined ? address : (parseAddress(chain, address) ?? address);
  const transfer: Transfer = {
    kind: raw.kind,
    source_id: raw.source_id,
    chain: chainName,
    coin: raw.coin,
    txid: raw.txid === null || chain === undefined ? raw.txid : (parseTxid(chain, raw.txid) ?? raw.txid),
    from_address: normal(raw.from_address),
    to_address: normal(raw.to_address) ?? raw.to_address,
    amount,
    usd_value: raw.usd_value === null ? null : (parseAmount(raw.usd_value) ?? raw.usd_value),
    user_id: raw.user_id,
    occurred_at: raw.occurred_at,
  };
  return {
    given: raw,
    transfer,
    fault: problem?.fault ?? null,
    faultField: problem?.field ?? null,
    faultDetail: problem?.detail ?? null,
    warnings: [],
    screeningId: screeningId(raw.kind, raw.source_id),
    contentSha256: contentHash(transfer),
  };
}

export function isMalformed(result: CheckedTransfer | Malformed): result is Malformed {
  return 'problem' in result;
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
    fault: checked.fault,
    requested_at: given.received_at,
    deadline_at: given.received_at + deadlineMs,
    transfer,
    renews_revision: null,
    warnings: [...checked.warnings],
    token_id: tokenId,
  };
}

function checkForm(raw: RawTransfer): Malformed | undefined {
  const id = `${raw.kind}_id`;
  if (!isText(raw.source_id, 128)) return { field: id, problem: 'must be 1 to 128 printable characters' };
  if (!isText(raw.coin, 32)) return { field: 'coin', problem: 'must be 1 to 32 printable characters' };
  if (!isText(raw.to_address, maxText)) return { field: 'to_address', problem: `must be 1 to ${maxText} printable characters` };
  if (raw.txid !== null && !isText(raw.txid, maxText)) return { field: 'txid', problem: `must be 1 to ${maxText} printable characters` };
  if (raw.from_address !== null && !isText(raw.from_address, maxText)) {
    return { field: 'from_address', problem: `must be 1 to ${maxText} printable characters` };
  }
  if (raw.kind === 'deposit' && raw.txid === null && raw.from_address === null) {
    return { field: 'txid', problem: 'or from_address is required' };
  }
  if (raw.chain !== null && !isText(raw.chain, 32)) return { field: 'chain', problem: 'must be 1 to 32 printable characters' };
  if (raw.user_id !== null && !isText(raw.user_id, maxText))
    return { field: 'user_id', problem: `must be 1 to ${maxText} printable characters` };
  if (parseAmount(raw.amount) === undefined) return { field: 'amount', problem: 'must be a decimal string such as "1.5"' };
  if (raw.usd_value !== null && parseAmount(raw.usd_value) === undefined) {
    return { field: 'usd_value', problem: 'must be a decimal string such as "1.5"' };
  }
  if (!isRecordTime(raw.occurred_at)) {
    return { field: raw.kind === 'deposit' ? 'detected_at' : 'requested_at', problem: 'is not a time' };
  }
  return undefined;
}

function isText(text: string, longest: number): boolean {
  return text.length > 0 && text.length <= longest && !/\p{Cc}/u.test(text) && text.isWellFormed();
}

interface Fault {
  readonly fault: TransferFault;
  readonly field: string;
  readonly detail: string;
}

/** `amount`: in canonical form. */
function findFault(raw: RawTransfer, coin: Coin | undefined, amount: string): Fault | undefined {
  if (coin === undefined) return { fault: 'UNSUPPORTED_COIN', field: 'coin', detail: `the coin ${raw.coin} is not known` };
  const { chain, decimals } = coin;
  if (raw.chain !== null && raw.chain !== chain) {
    return { fault: 'INVALID_TRANSFER', field: 'chain', detail: `${raw.coin} is not a coin of ${raw.chain}` };
  }
  if (raw.txid !== null && parseTxid(chain, raw.txid) === undefined) {
    return { fault: 'INVALID_TRANSFER', field: 'txid', detail: `txid is not a transaction id of ${chain}` };
  }
  for (const [field, address] of [
    ['from_address', raw.from_address],
    ['to_address', raw.to_address],
  ] as const) {
    if (address !== null && parseAddress(chain, address) === undefined) {
      return { fault: 'INVALID_TRANSFER', field, detail: `${field} is not an address of ${chain}` };
    }
  }
  if (amount === '0') return { fault: 'INVALID_TRANSFER', field: 'amount', detail: 'amount must be more than 0' };
  const [, fraction = ''] = amount.split('.');
  if (fraction.length > decimals) {
    return { fault: 'INVALID_TRANSFER', field: 'amount', detail: `amount: ${coin.symbol} has ${decimals} decimal places` };
  }
  return undefined;
}

function contentHash(t: Transfer): string {
  const content = [t.kind, t.source_id, t.chain, t.coin, t.txid, t.from_address, t.to_address, t.amount, t.usd_value, t.user_id];
  return createHash('sha256').update(JSON.stringify(content)).digest('hex');
}
