export { PayingClient } from './client.ts';
export type {
  AddressOverview,
  Claim,
  EvmSigner,
  Network,
  NotPaid,
  NotPaidCode,
  OverviewAnswer,
  Paid,
  PaidAnswer,
  PaidOperation,
  PayingClientOptions,
  Payment,
  Spending,
  TaskAnswer,
  Wallets,
} from './types.ts';
