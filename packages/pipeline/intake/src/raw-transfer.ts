import type { DepositDetected, Transfer, WithdrawalRequested } from '@weir/contracts';

/** A transfer as received, over HTTP or from a topic. */
export interface RawTransfer extends Omit<Transfer, 'chain'> {
  /** Null: the coin gives it. */
  readonly chain: string | null;
  /** Receipt in Unix milliseconds: the database's time over HTTP, the append time in a topic. The deadline counts from here. */
  readonly received_at: number;
}

/** `record`: of a topic, or a caller's request in that form. */
export function rawTransferOf(record: DepositDetected | WithdrawalRequested, received_at: number): RawTransfer {
  if ('deposit_id' in record) {
    const { deposit_id: source_id, detected_at: occurred_at, ...same } = record;
    return { ...same, kind: 'deposit', source_id, occurred_at, received_at };
  }
  const { withdrawal_id: source_id, requested_at: occurred_at, ...same } = record;
  return { ...same, kind: 'withdrawal', source_id, txid: null, from_address: null, occurred_at, received_at };
}

/** In the caller's form: each consumer of the topic normalises. */
export function toDeposit({ source_id: deposit_id, occurred_at: detected_at, ...given }: RawTransfer): DepositDetected {
  const { chain, coin, txid, from_address, to_address, amount, usd_value, user_id, memo } = given;
  return { deposit_id, chain, coin, txid, from_address, to_address, amount, usd_value, user_id, detected_at, memo };
}

/** In the caller's form: each consumer of the topic normalises. */
export function toWithdrawal({ source_id: withdrawal_id, occurred_at: requested_at, ...given }: RawTransfer): WithdrawalRequested {
  const { chain, coin, to_address, amount, usd_value, user_id, memo } = given;
  return { withdrawal_id, chain, coin, to_address, amount, usd_value, user_id, requested_at, memo };
}
