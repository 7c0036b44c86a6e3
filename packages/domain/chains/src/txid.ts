import { type Chain, isEvm } from './chain.ts';

/** A transaction id in lower case: `0x` and 64 hex digits on EVM chains, 64 hex digits elsewhere; undefined when it is neither. */
export function parseTxid(chain: Chain, text: string): string | undefined {
  const shape = isEvm(chain) ? /^0x[0-9a-fA-F]{64}$/ : /^[0-9a-fA-F]{64}$/;
  return shape.test(text) ? text.toLowerCase() : undefined;
}
