import type { Schema } from '@weir/service-kit';

export interface WithdrawalGateSettings {
  withdrawalDeadlineMs: number;
}

export const withdrawalGateSchema: Schema<WithdrawalGateSettings> = {
  withdrawalDeadlineMs: {
    doc: 'How long after its receipt a withdrawal may be without a result before it is held',
    format: 'positive-int',
    default: 60_000,
    env: 'WEIR_WITHDRAWAL_DEADLINE_MS',
  },
};
