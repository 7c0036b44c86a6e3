import type { Caller } from '@weir/service-kit';

/** Who did something, as far as tokens tell. */
export interface Person {
  /** The role in which they did it, and the caller's id, e.g. `reviewer:3f9a1c…`. */
  readonly id: string;
  /** The caller's name; it may be empty. */
  readonly name: string;
}

export function personOf({ role, id, name }: Caller): Person {
  return { id: `${role}:${id}`, name };
}

/** One who has two tokens, or another role by now, is still one: the same caller, or the same name in any case. */
export function isSamePerson(a: Person, b: Person): boolean {
  const [one, other] = [a, b].map(({ name }) => name.normalize('NFKC').trim().toLowerCase());
  return callerOf(a) === callerOf(b) || (one !== '' && one === other);
}

/** The id without the role, which a provider may change from one token to the next. */
function callerOf({ id }: Person): string {
  return id.slice(id.indexOf(':') + 1);
}
