import { ECDH } from 'node:crypto';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { HDKey } from '@scure/bip32';
import { p2pkh, p2sh, p2tr, p2wpkh } from '@scure/btc-signer';
import { type Chain, isEvm, tronAddressFromHex } from '@weir/chains';
import { UsageError } from '../failure.ts';

export type ScriptType = 'p2pkh' | 'p2sh-p2wpkh' | 'p2wpkh' | 'p2tr';

/** Version bytes of extended keys, and the script that their prefix stands for (SLIP-132). */
const kinds: Readonly<Record<string, { readonly versions: { private: number; public: number }; readonly script?: ScriptType }>> = {
  xpub: { versions: { private: 0x0488ade4, public: 0x0488b21e } },
  ypub: { versions: { private: 0x049d7878, public: 0x049d7cb2 }, script: 'p2sh-p2wpkh' },
  zpub: { versions: { private: 0x04b2430c, public: 0x04b24746 }, script: 'p2wpkh' },
};

/** Addresses below the key at `branch`/index, normalised. Throws `UsageError` for another key or chain. */
export function deriver(
  chain: Chain,
  xpub: string,
  options: { readonly branch: number; readonly script?: ScriptType | undefined },
): (index: number) => string {
  const kind = kinds[xpub.slice(0, 4)];
  if (kind === undefined) throw new UsageError('the key must be an xpub, ypub or zpub; a private key must not be given');
  const branch = branchOf(xpub, kind.versions, options.branch);
  const addressOf = encoder(chain, options.script ?? kind.script);
  return (index) => {
    const { publicKey } = branch.deriveChild(index);
    if (publicKey === null) throw new TypeError('a derived key has no public key');
    return addressOf(publicKey);
  };
}

function branchOf(xpub: string, versions: { private: number; public: number }, branch: number): HDKey {
  try {
    return HDKey.fromExtendedKey(xpub, versions).deriveChild(branch);
  } catch (error) {
    throw new UsageError('the extended public key is not valid', { cause: error });
  }
}

function encoder(chain: Chain, script: ScriptType | undefined): (key: Uint8Array) => string {
  if (isEvm(chain)) return (key) => `0x${accountOf(key)}`;
  if (chain === 'tron') return (key) => tronAddressFromHex(accountOf(key));
  if (chain !== 'bitcoin') throw new UsageError(`addresses of ${chain} cannot be derived; give them by --file`);
  if (script === undefined) throw new UsageError('an xpub does not say the script of its addresses: give --script');
  return (key) => {
    const { address } = paymentOf(script, key);
    if (address === undefined) throw new TypeError('the script has no address');
    return address;
  };
}

function paymentOf(script: ScriptType, key: Uint8Array): { address?: string } {
  if (script === 'p2pkh') return p2pkh(key);
  if (script === 'p2wpkh') return p2wpkh(key);
  return script === 'p2tr' ? p2tr(key.slice(1)) : p2sh(p2wpkh(key));
}

/** The last 20 bytes of the hash of the whole public key, in hex. */
function accountOf(key: Uint8Array): string {
  const whole = ECDH.convertKey(key, 'secp256k1', undefined, undefined, 'uncompressed') as Buffer;
  return Buffer.from(keccak_256(whole.subarray(1)).slice(-20)).toString('hex');
}
