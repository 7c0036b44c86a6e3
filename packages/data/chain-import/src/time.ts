const pattern = /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(Z|[+-]\d{2}(?::?\d{2})?)?)?$/;

/**
 * Parses ISO 8601 and the forms of database exports: a date (midnight UTC) with an optional time and zone, UTC without one.
 * Undefined for all else and for impossible days: lenient parsers read `13/2/2024` differently on different machines.
 */
export function parseInstant(text: string): Date | undefined {
  return parseCanonical(text) ?? parseOther(text);
}

/** Most times have passed `toISOString`. A date that it gives back unchanged is possible. */
function parseCanonical(text: string): Date | undefined {
  if (text.length !== 24 || text[23] !== 'Z') return undefined;
  const at = new Date(text);
  return !Number.isNaN(at.getTime()) && at.toISOString() === text ? at : undefined;
}

function parseOther(text: string): Date | undefined {
  const match = pattern.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, hour = '00', minute = '00', second = '00', fraction = '', zone = 'Z'] = match;
  const [, hours, minutes = '00'] = /^([+-]\d{2}):?(\d{2})?$/.exec(zone) ?? [];
  const offset = hours === undefined ? zone : `${hours}:${minutes}`;
  const at = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}.${fraction.padEnd(3, '0').slice(0, 3)}${offset}`);
  const midnight = new Date(`${year}-${month}-${day}T00:00:00Z`);
  if (Number.isNaN(at.getTime()) || midnight.getUTCDate() !== Number(day)) return undefined;
  return at;
}
