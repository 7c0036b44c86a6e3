import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

const shape = /^0x[0-9a-fA-F]{40}$/;

/** EIP-55: a letter is upper case when the same hex digit of the lower-case address's hash is 8 or more. */
export function toEip55(normalised: string): string {
  const digits = normalised.slice(2);
  const hash = bytesToHex(keccak_256(utf8ToBytes(digits)));
  const cased = digits.split('').map((digit, i) => ((hash[i] ?? '0') >= '8' ? digit.toUpperCase() : digit));
  return `0x${cased.join('')}`;
}

/** Lower case. Mixed case must pass its checksum. */
export function parseEvmAddress(text: string): string | undefined {
  if (!shape.test(text)) return undefined;
  const digits = text.slice(2);
  const normalised = `0x${digits.toLowerCase()}`;
  const oneCase = digits === digits.toLowerCase() || digits === digits.toUpperCase();
  return oneCase || toEip55(normalised) === text ? normalised : undefined;
}
