export { displayAddress, isNobody, nobodiesOf, parseAddress, tronAddressFromHex } from './address.ts';
export { amountPattern, compareAmounts, multiplyAmounts, parseAmount } from './amount.ts';
export { type Chain, chains, evmChains, hasInputs, listedOn } from './chain.ts';
export { type Coin, coins, findCoin } from './coins.ts';
export { hintForAddress, hintForCoin } from './hints.ts';
export { parseTxid } from './txid.ts';
