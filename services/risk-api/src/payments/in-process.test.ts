import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getDefaultAsset as evmAsset } from '@x402/evm';
import { getDefaultAsset as solanaAsset } from '@x402/svm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newEvmWallet, newSolanaWallet } from '../../../../test/support/local-chains/index.ts';
import { type PaidCall, type Payer, type PayWorld, pay, receiptIn, startPayWorld } from '../testing/paying.ts';
import { evmNetwork, payNetworks, solanaNetwork, usdcOn } from './networks.ts';

const labels: PaidCall = { method: 'GET', path: '/x402/address_labels', fields: { address: '0x28C6c06298d514Db089934071355E5743bf21d60' } };
const own = { workers: 0, x402FacilitatorUrl: '' };

let world: PayWorld;
let payer: Payer;
let folder: string;
beforeAll(async () => {
  world = await startPayWorld();
  payer = await world.payer();
  folder = mkdtempSync(join(tmpdir(), 'weir-keys-'));
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await world.stop();
});

describe('without a facilitator this process settles by itself', () => {
  it('with a key of its own for the fees of each network, several payments at once', async () => {
    const [gas, fees] = [newEvmWallet(), await newSolanaWallet()];
    await world.evm.fundGas(gas.address);
    await world.solana.fundGas(fees.address);
    const x402SolanaSignerKeyFile = join(folder, 'solana.json');
    writeFileSync(x402SolanaSignerKeyFile, `${JSON.stringify([...fees.secretKey])}\n`);
    const instance = await world.start({ ...own, x402EvmSignerKey: gas.privateKey, x402SolanaSignerKeyFile });
    const before = await Promise.all(payNetworks.map((network) => world.received(network)));
    const calls = payNetworks.flatMap((network) => [network, network, network]);
    const paid = await Promise.all(calls.map((network) => pay(instance.url, labels, payer, network)));
    expect(paid.map(({ answer }) => answer.status)).toEqual(calls.map(() => 200));
    expect(new Set(paid.map(({ answer }) => receiptIn(answer).transaction)).size).toBe(6);
    const after = await Promise.all(payNetworks.map((network) => world.received(network)));
    expect(after.map((amount, n) => amount - (before[n] ?? 0n))).toEqual([300_000n, 300_000n]);
    expect(instance.logs()).not.toContain(gas.privateKey.slice(2));
    await instance.stop();
  });

  it.each([
    [{ x402PayToSolana: '', x402EvmSignerKey: '0x12' }, 'WEIR_X402_EVM_SIGNER_KEY is wrong'],
    [{ x402PayToSolana: '', x402EvmSignerKeyFile: '/nowhere' }, 'WEIR_X402_EVM_SIGNER_KEY_FILE is wrong'],
    [{ x402EvmSignerKey: 'a', x402EvmSignerKeyFile: 'b' }, 'one of WEIR_X402_EVM_SIGNER_KEY'],
    [{ x402PayToEvm: '', x402SolanaSignerKey: 'secretsecret' }, 'WEIR_X402_SOLANA_SIGNER_KEY is wrong'],
    [{ x402PayToEvm: '', x402PayToSolana: '1'.repeat(44), x402SolanaSignerKey: 'x' }, 'WEIR_X402_PAY_TO_SOLANA is wrong'],
  ])('and does not start with %j', async (settings, said) => {
    await expect(world.start({ ...own, ...settings })).rejects.toThrow(said);
  });
});

describe('what goes wrong', () => {
  it('is logged without addresses, in which there may be a key', async () => {
    const secret = 'http://127.0.0.1:9/v2/sesame';
    const instance = await world.start({ workers: 0, x402EvmRpcUrl: secret });
    world.facilitator.fault('settle', { kind: 'status', status: 502 });
    const { answer } = await pay(instance.url, labels, payer, evmNetwork);
    expect(answer.body.msg).toBe('SettlementPending');
    expect(instance.logs()).toContain('a chain gives no answer about a payment');
    expect(instance.logs()).not.toMatch(/sesame|PAYMENT-SIGNATURE|0x[0-9a-f]{130}/i);
    expect(instance.logs()).not.toContain(payer.evm.address.toLowerCase());
    await instance.stop();
  });
});

describe('USDC', () => {
  it('is what the libraries take for it', () => {
    const { asset, name, version } = evmAsset(evmNetwork, 'USDC');
    expect(usdcOn[evmNetwork]).toEqual({ asset, extra: { name, version } });
    expect(usdcOn[solanaNetwork]).toEqual({ asset: solanaAsset(solanaNetwork, 'USDC').asset, extra: {} });
  });
});
