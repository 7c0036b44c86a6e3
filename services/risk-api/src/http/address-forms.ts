import { type Chain, formsOf } from '@weir/chains';

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
/** By the form of the chain's addresses: names of a name service, addresses of a test network, keys. */
const others: Readonly<Partial<Record<ReturnType<typeof formsOf>['address'], readonly RegExp[]>>> = {
  evm,
  tron,
  bitcoin,
  litecoin: [/^(tltc1|rltc1|ltcmweb1)[02-9ac-hj-np-z]+$/i],
  cash: [/^(bchtest|bchreg):[02-9ac-hj-np-z]+$/i],
  solana: [/^[^\s.]+\.sol$/i],
  xrp: [/^T[1-9A-HJ-NP-Za-km-z]{46}$/],
  stellar: [/^C[A-Z2-7]{55}$/, /^[^\s*]+\*[^\s*]+$/],
  ton: [/^[k0][QWfd][\w-]{46}$/, /^[^\s.]+(\.[^\s.]+)*\.(ton|t\.me)$/i],
  ss58: [/^[2-9A-HJ-NP-Za-km-z][1-9A-HJ-NP-Za-km-z]{46,47}$/],
  cardano: [/^(addr_test|stake|stake_test)1[02-9ac-hj-np-z]+$/i],
  cosmos: [/^cosmosvaloper(pub)?1[02-9ac-hj-np-z]+$/i],
  sui: [/^[^\s.]+(\.[^\s.]+)*\.sui$/i],
};

/**
 * Whether the text is a target in a form that is not accepted: a name, another encoding, a key, or an address of a test network. All other
 * texts are `InvalidAddress`.
 */
export function isOtherForm(chain: Chain, text: string): boolean {
  return others[formsOf(chain).address]?.some((form) => form.test(text)) === true;
}
