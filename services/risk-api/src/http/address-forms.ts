import type { Chain } from '@weir/chains';

const tron = [/^(0x)?41[0-9a-f]{40}$/i];
const bitcoin = [
  // Test networks: segwit, and Base58Check of keys and scripts.
  /^(tb1|bcrt1)[02-9ac-hj-np-z]{11,87}$/i,
  /^[mn2][1-9A-HJ-NP-Za-km-z]{25,34}$/,
  // Public keys.
  /^[xyzt]pub[1-9A-HJ-NP-Za-km-z]{100,112}$/,
  /^(0[23][0-9a-f]{64}|04[0-9a-f]{128})$/i,
];
// ENS names, and ICAP.
const evm = [/^[^\s.]+(\.[^\s.]+)*\.eth$/i, /^XE\d{2}[0-9A-Z]{16,31}$/i];

/**
 * Whether the text is a target in a form that is not accepted: a name, another encoding, a key, or an address of a test network. All other
 * texts are `InvalidAddress`.
 */
export function isOtherForm(chain: Chain, text: string): boolean {
  const forms = chain === 'tron' ? tron : chain === 'bitcoin' ? bitcoin : evm;
  return forms.some((form) => form.test(text));
}
