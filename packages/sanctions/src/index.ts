export { type AddressOf, type ListKeys, type Listing, LocalLists } from './local-lists.ts';
