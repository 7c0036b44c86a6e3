export { type AddressOf, type ListKeys, type Listing, LocalLists, type TransactionOf } from './local-lists.ts';
