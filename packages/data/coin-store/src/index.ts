export { type AddedCoin, addTokens, listAddedCoins, removeCoin } from './added-coins.ts';
export { coinMigrations, coinModule } from './migrations.ts';
export { type AddedCoinsWatch, watchAddedCoins } from './watch.ts';
