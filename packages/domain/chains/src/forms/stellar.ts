import { base32nopad } from '@scure/base';
import type { Account } from './account.ts';
import { decoded } from './base58.ts';
import { crc16 } from './crc16.ts';

/** Version bytes of strkeys (SEP-23). */
const account = 6 << 3;
const muxed = 12 << 3;

function encode(payload: Uint8Array): string {
  const sum = crc16(payload);
  return base32nopad.encode(Uint8Array.of(...payload, sum & 0xff, sum >> 8));
}

/** An account (`G…`), or a muxed account (`M…`), which becomes its account and its number as the memo. */
export function parseStellarAccount(text: string): Account | undefined {
  if (!/^[GM][A-Z2-7]{55,68}$/.test(text)) return undefined;
  const bytes = decoded(() => base32nopad.decode(text));
  if (bytes === undefined) return undefined;
  const payload = bytes.subarray(0, -2);
  // Also rejects unused bits in the last character.
  if (encode(payload) !== text) return undefined;
  if (payload[0] === account && payload.length === 33) return { address: text };
  if (payload[0] !== muxed || payload.length !== 41) return undefined;
  const id = new DataView(payload.buffer, payload.byteOffset).getBigUint64(33);
  return { address: encode(Uint8Array.of(account, ...payload.subarray(1, 33))), memo: String(id) };
}
