/** Who did something. */
export interface Person {
  /** The role in which they did it, and the caller's id, e.g. `reviewer:3f9a1c…`. */
  readonly id: string;
  /** Under which all tokens of the person are stored. */
  readonly name: string;
}

/**
 * Whether two callers may be one person: by the caller's id, whatever the role, or by the name, whatever its case and spacing. Somebody without a name
 * may be anybody.
 */
export function isSamePerson(a: Person, b: Person): boolean {
  const [one, other] = [a, b].map(({ name }) => comparable(name));
  return callerOf(a) === callerOf(b) || one === '' || other === '' || one === other;
}

/** The id without the role, which a provider may change from one token to the next. */
function callerOf({ id }: Person): string {
  return id.slice(id.indexOf(':') + 1);
}

function comparable(name: string): string {
  return name.normalize('NFKC').replace(/\p{C}/gu, '').replace(/\s+/gu, ' ').trim().toLowerCase();
}
