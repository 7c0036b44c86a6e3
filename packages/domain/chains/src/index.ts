export { type NewToken, type TokenCoin, tokenCoin } from './added.ts';
export { addressForms, displayAddress, parseAccount, parseAddress, parseContract, tronAddressFromHex } from './address.ts';
export { amountPattern, compareAmounts, multiplyAmounts, parseAmount } from './amount.ts';
export {
  type Chain,
  type ChainNodes,
  chains,
  evmChains,
  findChain,
  formsOf,
  hasInputs,
  isEvm,
  type KnownBlock,
  listedOn,
  nodesOf,
} from './chain.ts';
export { assetOf, type Coin } from './coin.ts';
export { allCoins, findCoin, findToken, listedCoins, nativeCoin, readCoin, useAddedCoins } from './coins.ts';
export { hintForAddress, hintForCoin } from './hints.ts';
export { memoForm, parseMemo } from './memo.ts';
export { isNobody, nobodiesOf } from './nobody.ts';
export { parseTxid } from './txid.ts';
