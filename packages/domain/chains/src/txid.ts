import { type Chain, isEvm } from './chain.ts';

/** Returns the lower-case transaction id: `0x` and 64 hex digits on EVM chains, 64 hex digits elsewhere. Undefined for other text. */
export function parseTxid(chain: Chain, text: string): string | undefined {
  const shape = isEvm(chain) ? /^0x[0-9a-fA-F]{64}$/ : /^[0-9a-fA-F]{64}$/;
  return shape.test(text) ? text.toLowerCase() : undefined;
}
