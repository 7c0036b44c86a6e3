import { type Chain, isEvm } from './chain.ts';

/** Lower case: 64 hex digits, after `0x` on EVM chains. Undefined for other text. */
export function parseTxid(chain: Chain, text: string): string | undefined {
  const shape = isEvm(chain) ? /^0x[0-9a-fA-F]{64}$/ : /^[0-9a-fA-F]{64}$/;
  return shape.test(text) ? text.toLowerCase() : undefined;
}
