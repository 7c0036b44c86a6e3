import { randomBytes } from 'node:crypto';
import { createKeyPairSignerFromPrivateKeyBytes, type KeyPairSigner } from '@solana/kit';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';

export interface EvmWallet {
  readonly address: `0x${string}`;
  readonly privateKey: `0x${string}`;
  readonly account: PrivateKeyAccount;
}

export interface SolanaWallet {
  readonly address: string;
  /** Private and public key, 64 bytes, as in a wallet file. */
  readonly secretKey: Uint8Array;
  readonly signer: KeyPairSigner;
}

export function newEvmWallet(): EvmWallet {
  const privateKey = generatePrivateKey();
  const account = privateKeyToAccount(privateKey);
  return { address: account.address, privateKey, account };
}

export async function newSolanaWallet(): Promise<SolanaWallet> {
  const seed = randomBytes(32);
  const signer = await createKeyPairSignerFromPrivateKeyBytes(seed, true);
  const publicKey = new Uint8Array(await crypto.subtle.exportKey('raw', signer.keyPair.publicKey));
  return { address: signer.address, secretKey: new Uint8Array([...seed, ...publicKey]), signer };
}
