export { type AddressOf, type Listing, LocalLists } from './local-lists.ts';
