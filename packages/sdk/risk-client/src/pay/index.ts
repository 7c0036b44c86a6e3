export { PayingClient } from './client.ts';
export type {
  Claim,
  EvmSigner,
  Network,
  NotPaid,
  NotPaidCode,
  Paid,
  PaidAnswer,
  PaidOperation,
  PayingClientOptions,
  Payment,
  Spending,
  TaskAnswer,
  Wallets,
} from './types.ts';
export type { AddressOverview, OverviewAnswer } from '../overview.ts';
