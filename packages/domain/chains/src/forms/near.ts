import { bech32, bech32m } from '@scure/base';

/** An account id (NEAR's nomenclature): lower-case words with `.`, `-` or `_` between them, 2 to 64 characters. */
const name = /^(?=.{2,64}$)(([a-z\d]+[-_])*[a-z\d]+\.)*([a-z\d]+[-_])*[a-z\d]+$/;

/**
 * A named account, an implicit one (64 hex digits), or one of an Ethereum key (`0x` and 40). A name has no checksum. A text with the checksum
 * of Bech32 has the form of a name, too, and is an address of another chain.
 */
export function parseNearAddress(text: string): string | undefined {
  return name.test(text) && text !== 'system' && !isBech32(text) ? text : undefined;
}

function isBech32(text: string): boolean {
  return bech32.decodeUnsafe(text) !== undefined || bech32m.decodeUnsafe(text) !== undefined;
}
