import type { Payment } from './payment.ts';

type Kind = 'source' | 'service' | 'wallet';

interface Past {
  readonly paid: readonly { readonly payment: Payment; readonly mass: number }[];
}

/**
 * The illicit USD of each payment by definition: for each one its payer's whole past is replayed. One kind of source, everything read,
 * no probable services and no links inside transactions.
 */
export function oracle(payments: readonly Payment[], kindOf: (address: string) => Kind): number[] {
  const paid: { payment: Payment; mass: number }[] = [];
  for (const payment of payments) paid.push({ payment, mass: massOf(payment, { paid }, kindOf) });
  return paid.map(({ mass }) => mass);
}

function massOf(payment: Payment, past: Past, kindOf: (address: string) => Kind): number {
  const { payer, payee, usd } = payment;
  if (kindOf(payer) === 'source') return usd;
  if (kindOf(payee) === 'source') return 0;
  if (kindOf(payer) === 'service') return fromService(payment, past, kindOf);
  const { balance, held, received, receivedMass } = replay(payer, past);
  const used = Math.min(usd, balance);
  const mass = (balance > 0 ? (used / balance) * held : 0) + (received > 0 ? ((usd - used) / received) * receivedMass : 0);
  const passedOn = sum(past.paid.filter((one) => one.payment.payer === payer).map((one) => one.mass));
  return receivedMass < 10 ? Math.min(mass, Math.max(2 * receivedMass - passedOn, 0)) : mass;
}

function replay(address: string, { paid }: Past): { balance: number; held: number; received: number; receivedMass: number } {
  let [balance, held, received, receivedMass] = [0, 0, 0, 0];
  for (const { payment, mass } of paid) {
    if (payment.payee === address) {
      balance += payment.usd;
      held += mass;
      received += payment.usd;
      receivedMass += mass;
    } else if (payment.payer === address) {
      const share = balance > 0 ? Math.min(payment.usd, balance) / balance : 0;
      balance *= 1 - share;
      held *= 1 - share;
    }
  }
  return { balance, held, received, receivedMass };
}

function fromService({ payee, usd }: Payment, { paid }: Past, kindOf: (address: string) => Kind): number {
  let [balance, held] = [0, 0];
  for (const { payment, mass } of paid) {
    if (payment.payer === payee && kindOf(payment.payee) === 'service') {
      balance += payment.usd;
      held += mass;
    } else if (payment.payee === payee && kindOf(payment.payer) === 'service') {
      const share = balance > 0 ? Math.min(payment.usd, balance) / balance : 0;
      balance *= 1 - share;
      held *= 1 - share;
    }
  }
  return balance > 0 ? (Math.min(usd, balance) / balance) * held : 0;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
