import type { Caller } from '@weir/service-kit';

/** Who did something, as far as tokens tell. */
export interface Person {
  /** Role and token id, e.g. `reviewer:3f9a1c…`. */
  readonly id: string;
  /** The token's name; it may be empty. */
  readonly name: string;
}

export function personOf({ role, tokenId, name }: Caller): Person {
  return { id: `${role}:${tokenId}`, name };
}

/** One who holds two tokens is still one: the same token, or the same name in any case. */
export function isSamePerson(a: Person, b: Person): boolean {
  const [one, other] = [a, b].map(({ name }) => name.normalize('NFKC').trim().toLowerCase());
  return a.id === b.id || (one !== '' && one === other);
}
