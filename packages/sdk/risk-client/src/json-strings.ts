export interface JsonString {
  /** Index of the opening quote. */
  readonly start: number;
  /** Index after the closing quote. */
  readonly end: number;
  /** The field that holds the string, directly or through arrays. Undefined for field names. */
  readonly field: string | undefined;
}

interface Frame {
  readonly names: Set<string> | undefined;
  field: string | undefined;
}

/** Finds the strings of valid JSON, and whether any object repeats a field: readers disagree on which of the two counts. */
export function scanJson(json: string): { strings: JsonString[]; hasDuplicates: boolean } {
  const strings: JsonString[] = [];
  const stack: Frame[] = [];
  let hasDuplicates = false;
  for (let i = 0; i < json.length; i++) {
    const frame = stack.at(-1);
    const sign = json[i];
    if (sign === '{') stack.push({ names: new Set(), field: undefined });
    else if (sign === '[') stack.push({ names: undefined, field: frame?.field });
    else if (sign === '}' || sign === ']') stack.pop();
    else if (sign === ',' && frame?.names !== undefined) frame.field = undefined;
    else if (sign === '"') {
      const end = endOfString(json, i);
      if (frame?.names !== undefined && frame.field === undefined) {
        const name = json.slice(i + 1, end - 1);
        frame.field = name.includes('\\') ? (JSON.parse(json.slice(i, end)) as string) : name;
        hasDuplicates ||= frame.names.has(frame.field);
        frame.names.add(frame.field);
        strings.push({ start: i, end, field: undefined });
      } else strings.push({ start: i, end, field: frame?.field });
      i = end - 1;
    }
  }
  return { strings, hasDuplicates };
}

function endOfString(json: string, start: number): number {
  for (let i = start + 1; i < json.length; i++) {
    if (json[i] === '\\') i++;
    else if (json[i] === '"') return i + 1;
  }
  return json.length;
}

/** One UTF-16 unit of a string, and its source: itself or an escape. */
export interface Unit {
  readonly char: string;
  readonly source: string;
}

export function unitsOf(json: string, { start, end }: JsonString): Unit[] {
  const units: Unit[] = [];
  for (let i = start + 1; i < end - 1; ) {
    const length = json[i] !== '\\' ? 1 : json[i + 1] === 'u' ? 6 : 2;
    const source = json.slice(i, i + length);
    units.push({ source, char: length === 1 ? source : (JSON.parse(`"${source}"`) as string) });
    i += length;
  }
  return units;
}

/** Decodes each percent-encoded ASCII character to one unit. */
export function percentDecodedUnits(units: readonly Unit[]): readonly Unit[] {
  if (!units.some(({ char }) => char === '%')) return units;
  const decoded: Unit[] = [];
  for (let i = 0; i < units.length; ) {
    const three = units.slice(i, i + 3);
    const [, hex] = /^%([0-7][0-9a-f])$/i.exec(three.map(({ char }) => char).join('')) ?? [];
    const taken = hex === undefined ? three.slice(0, 1) : three;
    const source = taken.map((unit) => unit.source).join('');
    decoded.push({ source, char: hex === undefined ? (taken[0]?.char ?? '') : String.fromCharCode(Number.parseInt(hex, 16)) });
    i += taken.length;
  }
  return decoded;
}
