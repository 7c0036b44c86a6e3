/** A payment of known value. */
export interface TracedPayment {
  readonly from: string;
  readonly to: string;
  /** In one unit for all, as USD. More than 0. */
  readonly value: number;
}

/** `forward`: where the money went. `backward`: where it came from. */
export type TraceDirection = 'forward' | 'backward';

/** Payments by their index, with the money that was in the payer's hands. */
export interface Ledger<Payment extends TracedPayment = TracedPayment> {
  /** By time; within one time an address is paid before it pays. */
  readonly payments: readonly Payment[];
  /** Money is not followed through such an address, and no account is kept of it. */
  readonly isEnd: (address: string) => boolean;
  readonly entries: readonly Entry[];
  /** What an address still has of its receipts. 0 for an end. */
  readonly balanceOf: (address: string) => number;
}

interface Entry {
  /** The part of the payer's balance that it takes, 0 to 1. */
  readonly share: number;
  /** What no known payment brought to the payer. 0 for an end. */
  readonly unbrought: number;
  /** What the payer had paid before, and what the payee had received: the places of this payment's first unit. */
  readonly outAt: number;
  readonly inAt: number;
}

interface Account {
  balance: number;
  received: number;
  paid: number;
}

/** `payments` in the order of time. */
export function ledgerOf<Payment extends TracedPayment>(
  payments: readonly Payment[],
  isEnd: (address: string) => boolean,
): Ledger<Payment> {
  const accounts = new Map<string, Account>();
  const accountOf = (address: string): Account | undefined => {
    if (isEnd(address)) return undefined;
    const account = accounts.get(address) ?? { balance: 0, received: 0, paid: 0 };
    accounts.set(address, account);
    return account;
  };
  const entries = payments.map(({ from, to, value }) => {
    const paid = pay(accountOf(from), value);
    return { ...paid, inAt: receive(accountOf(to), value) };
  });
  return { payments, isEnd, entries, balanceOf: (address) => accounts.get(address)?.balance ?? 0 };
}

function pay(account: Account | undefined, value: number): Omit<Entry, 'inAt'> {
  if (account === undefined) return { share: 0, unbrought: 0, outAt: 0 };
  const share = account.balance > 0 ? Math.min(value / account.balance, 1) : 0;
  const unbrought = Math.max(value - account.balance, 0);
  const outAt = account.paid;
  account.balance -= share * account.balance;
  account.paid += value;
  // It came unseen, behind all that was seen, so it leaves last.
  account.received += unbrought;
  return { share, unbrought, outAt };
}

function receive(account: Account | undefined, value: number): number {
  if (account === undefined) return 0;
  const inAt = account.received;
  account.balance += value;
  account.received += value;
  return inAt;
}
