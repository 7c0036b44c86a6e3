import { createSolanaRpc, mainnet } from '@solana/kit';
import { x402Client } from '@x402/core/client';
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { ExactSvmScheme } from '@x402/svm/exact/client';
import { createPublicClient, parseAbi } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type EvmChain,
  type Facilitator,
  newEvmWallet,
  newSolanaWallet,
  patientHttp,
  type SolanaChain,
  startEvmChain,
  startFacilitator,
  startSolanaChain,
} from './index.ts';

let evm: EvmChain;
let solana: SolanaChain;
let facilitator: Facilitator;

beforeAll(async () => {
  [evm, solana] = await Promise.all([startEvmChain(), startSolanaChain()]);
  facilitator = await startFacilitator({ evm, solana, confirmationMs: 5_000 });
});
afterAll(async () => {
  await facilitator?.close();
  await solana?.close();
  await evm?.close();
});

test("the token on Base is USDC's: name, version, decimals and domain", async () => {
  const client = createPublicClient({ transport: patientHttp(evm.url) });
  const abi = parseAbi([
    'function name() view returns (string)',
    'function version() view returns (string)',
    'function decimals() view returns (uint8)',
    'function DOMAIN_SEPARATOR() view returns (bytes32)',
  ]);
  const read = (functionName: 'name' | 'version' | 'decimals' | 'DOMAIN_SEPARATOR') =>
    client.readContract({ address: evm.asset, abi, functionName });
  expect(await Promise.all([read('name'), read('version'), read('decimals')])).toEqual(['USD Coin', '2', 6]);
  // The value that the contract on Base returns.
  expect(await read('DOMAIN_SEPARATOR')).toBe('0x02fa7265e7c5d81118673727957699e4d68f74cd74b7db77da710fe8a2c7834f');
});

test('Solana answers as a node does', async () => {
  const rpc = createSolanaRpc(mainnet(solana.url));
  expect((await rpc.getLatestBlockhash().send()).value.blockhash).toMatch(/^\w{32,44}$/);
  await expect(rpc.getEpochInfo().send()).rejects.toThrow(/Method not found/);
  solana.fault('getLatestBlockhash', { kind: 'drop' });
  await expect(rpc.getLatestBlockhash().send()).rejects.toThrow();
  await rpc.getLatestBlockhash().send();
});

describe.each(['eip155:8453', 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'] as const)('on %s', (network) => {
  const chain = () => (network === evm.network ? evm : solana);
  const ask = async (on: string, { payload, requirements }: { payload: PaymentPayload; requirements: PaymentRequirements }) => {
    const body = JSON.stringify({ x402Version: 2, paymentPayload: payload, paymentRequirements: requirements });
    const answer = await fetch(`${facilitator.url}/${on}`, { method: 'POST', body });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };

  async function signed(funds: bigint) {
    const [payer, receiver] =
      network === evm.network ? [newEvmWallet(), newEvmWallet()] : [await newSolanaWallet(), await newSolanaWallet()];
    await chain().fund(payer.address, funds);
    await chain().fund(receiver.address, 0n);
    const client = new x402Client().register(
      network,
      'signer' in payer ? new ExactSvmScheme(payer.signer, { rpcUrl: solana.url }) : new ExactEvmScheme(payer.account),
    );
    const requirements: PaymentRequirements = {
      scheme: 'exact',
      network,
      asset: chain().asset,
      amount: '500000',
      payTo: receiver.address,
      maxTimeoutSeconds: 60,
      extra: network === evm.network ? { name: 'USD Coin', version: '2' } : { feePayer: facilitator.feePayer },
    };
    const resource = { url: 'http://localhost/x', description: '', mimeType: '' };
    const payload = await client.createPaymentPayload({ x402Version: 2, resource, accepts: [requirements] });
    return { payer: payer.address, receiver: receiver.address, payload, requirements };
  }

  test('a payment moves what it says, to the unit, and once', async () => {
    const payment = await signed(700_000n);
    expect((await ask('verify', payment)).body).toMatchObject({ isValid: true });
    expect(await chain().balanceOf(payment.payer)).toBe(700_000n);
    expect((await ask('settle', payment)).body).toMatchObject({ success: true });
    expect(await chain().balanceOf(payment.payer)).toBe(200_000n);
    expect(await chain().balanceOf(payment.receiver)).toBe(500_000n);
    expect((await ask('settle', payment)).body).toMatchObject({ success: false });
    expect(await chain().balanceOf(payment.receiver)).toBe(500_000n);
  });

  test('who has too little cannot pay', async () => {
    const payment = await signed(499_999n);
    expect((await ask('verify', payment)).body).toMatchObject({ isValid: false });
    expect((await ask('settle', payment)).body).toMatchObject({ success: false });
    expect(await chain().balanceOf(payment.payer)).toBe(499_999n);
  });

  test('a settlement that waits for its block is pending, and the same settles later', async () => {
    const payment = await signed(500_000n);
    await chain().pauseMining();
    expect((await ask('settle', payment)).body).toMatchObject({ success: false, errorReason: 'settlement_pending' });
    expect(await chain().balanceOf(payment.receiver)).toBe(0n);
    await chain().mine();
    expect((await ask('settle', payment)).body).toMatchObject({ success: true });
    expect(await chain().balanceOf(payment.receiver)).toBe(500_000n);
  });

  test('a call can be held, cut, answered with nonsense; the facilitator can be away', async () => {
    const payment = await signed(500_000n);
    const held = facilitator.hold('verify', 'after');
    const verifying = ask('verify', payment);
    await held.reached;
    held.release();
    expect((await verifying).body).toMatchObject({ isValid: true });
    facilitator.fault('settle', { kind: 'status', status: 500 });
    expect((await ask('settle', payment)).status).toBe(500);
    await facilitator.away();
    await expect(ask('settle', payment)).rejects.toThrow();
    await facilitator.back();
    facilitator.fault('settle', { kind: 'drop', at: 'after' });
    await expect(ask('settle', payment)).rejects.toThrow();
    expect(await chain().balanceOf(payment.receiver)).toBe(500_000n);
  });
});
