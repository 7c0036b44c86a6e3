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
    source_id: 'd-1',
    chain: null,
    coin: 'ETH',
    txid,
    from_address: sender,
    to_address: lowerCase,
    amount: '1.5',
    usd_value: '4000',
    user_id: 'u-1',
    occurred_at: detectedAt,
    received_at: receivedAt,
    memo: null,
    ...over,
  };
}
