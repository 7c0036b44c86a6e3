const digits = 64;

/**
 * Aptos: `0x` and 64 lower-case digits. Takes up to four leading zeros less, as its SDK does, and the short form of the special addresses
 * 0x0 to 0xf (AIP-40). It has no checksum.
 */
export function parseAptosAddress(text: string): string | undefined {
  return /^0x([0-9a-fA-F]|[0-9a-fA-F]{60,64})$/.test(text) ? padded(text) : undefined;
}

/** Sui: `0x` and 64 digits. It has no checksum. */
export function parseSuiAddress(text: string): string | undefined {
  return /^0x[0-9a-fA-F]{64}$/.test(text) ? padded(text) : undefined;
}

const typed = /^(0x[0-9a-fA-F]+)::([A-Za-z_]\w{0,127}::[A-Za-z_]\w{0,127})$/;

/** A coin of Move is a type, `ADDRESS::module::NAME`. */
export function parseMoveType(text: string, parse: (address: string) => string | undefined): string | undefined {
  const [, address, name] = typed.exec(text) ?? [];
  const normalised = address === undefined ? undefined : parse(address);
  return normalised === undefined ? undefined : `${normalised}::${name}`;
}

function padded(text: string): string {
  return `0x${text.slice(2).toLowerCase().padStart(digits, '0')}`;
}
