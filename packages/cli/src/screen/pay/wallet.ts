import { readFileSync } from 'node:fs';
import { importOptional, MissingPackageError, optionalPackages } from '@weir/optional-packages';
import type { Wallets } from '@weir/risk-client/pay';
import { UsageError } from '../../failure.ts';

/** The key comes from a file or the environment: all users of the machine can see flags, and the shell's history keeps them. */
export async function walletsOf(
  keyFile: string | undefined,
  { payKey, paySolanaRpcUrl }: { payKey: string; paySolanaRpcUrl: string },
): Promise<Wallets> {
  if ((keyFile === undefined) === (payKey === ''))
    throw new UsageError(
      keyFile === undefined
        ? '--pay needs a key: --pay-key-file, or WEIR_PAY_KEY'
        : 'the key is given twice: --pay-key-file and WEIR_PAY_KEY',
    );
  const key = keyFile === undefined ? payKey : readKey(keyFile);
  const from = keyFile ?? 'WEIR_PAY_KEY';
  try {
    const wallets = await walletOf(key.trim(), paySolanaRpcUrl);
    if (wallets !== undefined) return wallets;
  } catch (error) {
    if (error instanceof MissingPackageError) throw error;
    // Another error may quote the key.
  }
  throw new UsageError(
    `${from} holds no private key: 0x and 64 digits for Base; for Solana 64 bytes in base58, or as the array of a wallet's file`,
  );
}

const loadX402 = <Module>(load: () => Promise<Module>) => importOptional('--pay', optionalPackages.x402, load);

async function walletOf(key: string, rpcUrl: string): Promise<Wallets | undefined> {
  if (/^0x[0-9a-fA-F]{64}$/.test(key)) {
    const { privateKeyToAccount } = await loadX402(() => import('viem/accounts'));
    return { evm: privateKeyToAccount(key as `0x${string}`) };
  }
  const { createKeyPairSignerFromBytes, getBase58Encoder } = await loadX402(() => import('@solana/kit'));
  const bytes = key.startsWith('[') ? bytesOf(JSON.parse(key)) : getBase58Encoder().encode(key);
  if (bytes?.length !== 64) return undefined;
  const signer = await createKeyPairSignerFromBytes(new Uint8Array(bytes));
  return { solana: { signer, ...(rpcUrl !== '' && { rpcUrl }) } };
}

function bytesOf(value: unknown): number[] | undefined {
  return Array.isArray(value) && value.every((byte) => Number.isInteger(byte) && byte >= 0 && byte < 256) ? value : undefined;
}

function readKey(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'failed'}`);
  }
}
