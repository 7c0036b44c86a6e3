import { hexToBytes } from '@noble/hashes/utils.js';
import { base64url } from '@scure/base';
import { decoded } from './base58.ts';
import { crc16 } from './crc16.ts';

/** Flags of the user-friendly form (TEP-2): the message to it bounces, or not. With 0x80 it is of a test network. */
const bounceable = 0x11;
const nonBounceable = 0x51;
const workchains = [0x00, 0xff];

function friendly(workchain: number, hash: Uint8Array): string {
  const payload = Uint8Array.of(nonBounceable, workchain, ...hash);
  const sum = crc16(payload);
  return base64url.encode(Uint8Array.of(...payload, sum >> 8, sum & 0xff));
}

/** The user-friendly form that does not bounce (`UQ…`, URL-safe), which wallets show. Takes the raw form and all friendly ones. */
export function parseTonAddress(text: string): string | undefined {
  const raw = /^(0|-1):([0-9a-fA-F]{64})$/.exec(text);
  if (raw !== null) return friendly(raw[1] === '0' ? 0x00 : 0xff, hexToBytes(raw[2] ?? ''));
  if (!/^([A-Za-z0-9_-]{48}|[A-Za-z0-9+/]{48})$/.test(text)) return undefined;
  const bytes = decoded(() => base64url.decode(text.replaceAll('+', '-').replaceAll('/', '_')));
  const [flag = 0, workchain = 1] = bytes ?? [];
  if (bytes === undefined || (flag !== bounceable && flag !== nonBounceable) || !workchains.includes(workchain)) return undefined;
  const sum = crc16(bytes.subarray(0, 34));
  return bytes[34] === sum >> 8 && bytes[35] === (sum & 0xff) ? friendly(workchain, bytes.subarray(2, 34)) : undefined;
}
