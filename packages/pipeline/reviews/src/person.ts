export interface Person {
  /** Role and caller id, e.g. `reviewer:3f9a1c…`. */
  readonly id: string;
  /** All tokens of the person are stored under it. */
  readonly name: string;
}

/** Whether these may be one person, who must not act twice: a caller without a name may be anybody. */
export function isSamePerson(a: Person, b: Person): boolean {
  return comparable(a.name) === '' || comparable(b.name) === '' || isSurelySamePerson(a, b);
}

/** For what one person alone may do: equal caller ids whatever the role, or equal names ignoring case and spacing. */
export function isSurelySamePerson(a: Person, b: Person): boolean {
  const name = comparable(a.name);
  return callerOf(a) === callerOf(b) || (name !== '' && name === comparable(b.name));
}

/** The id without the role, which a provider may change between tokens. */
function callerOf({ id }: Person): string {
  return id.slice(id.indexOf(':') + 1);
}

function comparable(name: string): string {
  return name.normalize('NFKC').replace(/\p{C}/gu, '').replace(/\s+/gu, ' ').trim().toLowerCase();
}
