import type { DepositDetected } from '@weir/contracts';
import type { RawTransfer } from './index.ts';

export const mixedCase = '0x28C6c06298d514Db089934071355E5743bf21d60';
export const lowerCase = '0x28c6c06298d514db089934071355e5743bf21d60';
export const sender = '0x098b716b8aaf21512996dc57eb0615e2383e2f96';
export const tronAddress = 'TQrY8tryqsYVCYS3MFbtffiPp2ccyn4STm';
export const txid = `0x${'ab'.repeat(32)}`;
export const detectedAt = Date.UTC(2026, 0, 1);
export const receivedAt = detectedAt + 1_000;

export function raw(over: Partial<RawTransfer> = {}): RawTransfer {
  return {
    kind: 'deposit',
    sourceId: 'd-1',
    chain: null,
    coin: 'ETH',
    txid,
    fromAddress: sender,
    toAddress: lowerCase,
    amount: '1.5',
    usdValue: '4000',
    userId: 'u-1',
    occurredAt: detectedAt,
    receivedAt,
    ...over,
  };
}

export function toDeposit(transfer: RawTransfer): DepositDetected {
  return {
    deposit_id: transfer.sourceId,
    chain: transfer.chain,
    coin: transfer.coin,
    txid: transfer.txid,
    from_address: transfer.fromAddress,
    to_address: transfer.toAddress,
    amount: transfer.amount,
    usd_value: transfer.usdValue,
    user_id: transfer.userId,
    detected_at: transfer.occurredAt,
  };
}
