import { secp256k1 } from '@noble/curves/secp256k1';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { HDKey } from '@scure/bip32';
import { type Chain, isEvm } from '@weir/chains';
import { UsageError } from '../failure.ts';

/** Receiving addresses `0/first` … of an account's extended public key (BIP 32, BIP 44). */
export function addressesOf(xpub: string, chain: Chain, { first, count }: { first: number; count: number }): string[] {
  if (!isEvm(chain)) throw new UsageError(`addresses of ${chain} cannot be derived; name them in --file`);
  const receiving = parse(xpub).deriveChild(0);
  return Array.from({ length: count }, (_, n) => {
    const { publicKey } = receiving.deriveChild(first + n);
    if (publicKey === null) throw new TypeError('a public key derives public keys');
    // The last 20 bytes of the hash of the point, without the prefix of its form.
    const point = secp256k1.ProjectivePoint.fromHex(publicKey).toRawBytes(false).subarray(1);
    return `0x${Buffer.from(keccak_256(point)).subarray(-20).toString('hex')}`;
  });
}

function parse(xpub: string): HDKey {
  try {
    const key = HDKey.fromExtendedKey(xpub);
    // The message of the library has the key.
    if (key.privateKey !== null) throw new UsageError('--xpub is a private key; Weir takes none');
    return key;
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError('--xpub is no extended public key');
  }
}
