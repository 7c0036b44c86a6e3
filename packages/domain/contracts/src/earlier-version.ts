/** An Avro schema as JSON. */
type Schema = string | readonly Schema[] | { readonly [name: string]: unknown };

interface Field {
  readonly name: string;
  readonly type: Schema;
}

/**
 * Whether a schema can be an earlier version of the current one: the same fields in their order, of which some may be missing. A reader who
 * takes a schema from elsewhere checks this, since names in another order would give the same bytes another meaning.
 */
export function isEarlierVersion(earlier: string, current: string): boolean {
  try {
    return isPart(JSON.parse(earlier) as Schema, JSON.parse(current) as Schema);
  } catch {
    return false;
  }
}

/** Top-level fields of the current schema that an earlier version does not have. */
export function fieldsSince(earlier: string, current: string): string[] {
  const fields = (text: string): string[] => (JSON.parse(text) as { fields: readonly Field[] }).fields.map(({ name }) => name);
  const known = new Set(fields(earlier));
  return fields(current).filter((name) => !known.has(name));
}

function isPart(earlier: Schema, current: Schema): boolean {
  if (typeof earlier !== 'object' || typeof current !== 'object') return earlier === current;
  if (Array.isArray(earlier) || Array.isArray(current))
    return (
      Array.isArray(earlier) &&
      Array.isArray(current) &&
      earlier.length === current.length &&
      earlier.every((type, n) => isPart(type, current[n]))
    );
  const [one, other] = [earlier, current] as { readonly [name: string]: unknown }[];
  const names = ['type', 'name', 'namespace', 'symbols', 'items', 'values', 'logicalType', 'size'];
  const isAlike = names.every(
    (name) => one?.[name] === other?.[name] || isPart((one?.[name] ?? '') as Schema, (other?.[name] ?? '') as Schema),
  );
  return isAlike && areFieldsPart((one?.['fields'] ?? []) as readonly Field[], (other?.['fields'] ?? []) as readonly Field[]);
}

function areFieldsPart(earlier: readonly Field[], current: readonly Field[]): boolean {
  let at = 0;
  return earlier.every(({ name, type }) => {
    at = current.findIndex((field, n) => n >= at && field.name === name) + 1;
    return at > 0 && isPart(type, (current[at - 1] as Field).type);
  });
}
