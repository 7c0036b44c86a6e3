import { setImmediate as nextTurn } from 'node:timers/promises';
import type { PaymentRequirements } from '@x402/core/types';
import { expect, it } from 'vitest';
import { readEvmPayment } from './payment.ts';

const asset = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const payTo = '0x28C6c06298d514Db089934071355E5743bf21d60';
const requirements: PaymentRequirements = {
  scheme: 'exact',
  network: 'eip155:8453',
  asset,
  payTo,
  amount: '1000',
  maxTimeoutSeconds: 60,
  extra: { name: 'USD Coin', version: '2' },
};

/** Signed by nobody. */
const forged = (nonce: number): unknown => ({
  authorization: {
    from: asset,
    to: payTo,
    value: '1000',
    validAfter: '0',
    validBefore: '60',
    nonce: `0x${nonce.toString(16).padStart(64, '0')}`,
  },
  signature: `0x${'11'.repeat(64)}1b`,
});

it('a flood of forged signatures leaves the other work of the process its turns', async () => {
  let done = false;
  const flood = Promise.all(Array.from({ length: 50 }, (_, nonce) => readEvmPayment(forged(nonce), requirements, 0))).then((all) => {
    done = true;
    return all;
  });
  let turns = 0;
  for (; !done; turns += 1) await nextTurn();
  expect(turns).toBeGreaterThanOrEqual(50);
  expect((await flood).map((payment) => (typeof payment === 'string' ? payment : payment.proven))).toEqual(
    Array.from({ length: 50 }, () => false),
  );
});
