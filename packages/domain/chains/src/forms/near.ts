/** An account id (NEAR's nomenclature): lower-case words with `.`, `-` or `_` between them, 2 to 64 characters. */
const name = /^(?=.{2,64}$)(([a-z\d]+[-_])*[a-z\d]+\.)*([a-z\d]+[-_])*[a-z\d]+$/;

/** A named account, an implicit one (64 hex digits), or one of an Ethereum key (`0x` and 40). A name has no checksum. */
export function parseNearAddress(text: string): string | undefined {
  return name.test(text) && text !== 'system' ? text : undefined;
}
