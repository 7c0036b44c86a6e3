export interface Person {
  /** Role and caller id, e.g. `reviewer:3f9a1c…`. */
  readonly id: string;
  /** All tokens of the person are stored under it. */
  readonly name: string;
}

/** Equal caller ids whatever the role, or equal names ignoring case and spacing. A caller without a name may be anybody. */
export function isSamePerson(a: Person, b: Person): boolean {
  const [one, other] = [a, b].map(({ name }) => comparable(name));
  return callerOf(a) === callerOf(b) || one === '' || other === '' || one === other;
}

/** The id without the role, which a provider may change between tokens. */
function callerOf({ id }: Person): string {
  return id.slice(id.indexOf(':') + 1);
}

function comparable(name: string): string {
  return name.normalize('NFKC').replace(/\p{C}/gu, '').replace(/\s+/gu, ' ').trim().toLowerCase();
}
