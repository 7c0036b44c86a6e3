import { type JsonString, percentDecodedUnits, scanJson, type Unit, unitsOf } from './json-strings.ts';

const mark = '***';
/** Shorter values of parameters are not looked for elsewhere: they are no tokens, and would be found in everything. */
const shortestSecret = 8;
/** Parameters whose values are no secrets, so that they may stay elsewhere in the answer. */
const harmless = new Set(['address', 'chain', 'coin', 'direction', 'hash', 'lang', 'language', 'locale', 'task_id', 'tx_hash', 'txid']);

/**
 * Cuts out of an answer what gives access: the values of all parameters of `risk_report_url`, and every other place where such a value or one
 * of `known` stands, however long it is, escaped or percent-encoded. All else stays byte for byte. `json` must be valid JSON; the outcome is, unless a secret was a number.
 */
export function cutSecrets(json: string, known: readonly string[]): string {
  const found = new Set(known.filter((secret) => secret !== '').flatMap(formsOf));
  const urls = scanJson(json).strings.filter((string) => string.field === 'risk_report_url');
  const cut = rewrite(json, urls, (units) => cutParameters(units, found));
  // Longest first, so that a secret within another does not leave the rest of the longer one.
  const secrets = [...found].sort((a, b) => b.length - a.length);
  if (secrets.length === 0) return cut;
  // Percent-encoded writings first: the digits of an encoded letter can be taken for a letter of the secret's own.
  const decoded = rewrite(cut, scanJson(cut).strings, (units) => hide(percentDecodedUnits(units), secrets));
  const hidden = rewrite(decoded, scanJson(decoded).strings, (units) => hide(units, secrets));
  return secrets.reduce((text, secret) => text.replaceAll(secret, mark), hidden);
}

/** As it is, and as JSON within a text writes it. */
function formsOf(secret: string): string[] {
  const escaped = JSON.stringify(secret).slice(1, -1);
  return [secret, escaped, escaped.replaceAll('/', '\\/')];
}

function rewrite(json: string, strings: readonly JsonString[], change: (units: Unit[]) => string): string {
  const parts: string[] = [];
  let at = 0;
  for (const string of strings) {
    parts.push(json.slice(at, string.start + 1), change(unitsOf(json, string)));
    at = string.end - 1;
  }
  return parts.join('') + json.slice(at);
}

/** Everything behind the first `?` or `#` is taken as parameters: `name=value`, or a value alone. */
function cutParameters(units: readonly Unit[], found: Set<string>): string {
  const begin = units.findIndex(({ char }) => char === '?' || char === '#');
  if (begin < 0) return sourceOf(units);
  let out = sourceOf(units.slice(0, begin));
  let piece: Unit[] = [];
  for (const unit of units.slice(begin)) {
    if ('?#&;'.includes(unit.char)) {
      out += cutPiece(piece, found) + unit.source;
      piece = [];
    } else piece.push(unit);
  }
  return out + cutPiece(piece, found);
}

function cutPiece(piece: readonly Unit[], found: Set<string>): string {
  const nameEnd = piece.findIndex(({ char }) => char === '=') + 1;
  const value = textOf(piece.slice(nameEnd));
  if (value === '') return sourceOf(piece);
  if (!harmless.has(textOf(piece.slice(0, Math.max(0, nameEnd - 1))).toLowerCase())) {
    for (const form of [value, percentDecoded(value)]) if (form.length >= shortestSecret) found.add(form);
  }
  return sourceOf(piece.slice(0, nameEnd)) + mark;
}

function percentDecoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

function hide(units: readonly Unit[], secrets: readonly string[]): string {
  const text = textOf(units);
  const hidden = secrets.filter((secret) => text.includes(secret));
  if (hidden.length === 0) return sourceOf(units);
  let out = '';
  for (let i = 0; i < units.length; ) {
    const secret = hidden.find((candidate) => text.startsWith(candidate, i));
    out += secret === undefined ? units[i]?.source : mark;
    i += secret?.length ?? 1;
  }
  return out;
}

function sourceOf(units: readonly Unit[]): string {
  return units.map(({ source }) => source).join('');
}

function textOf(units: readonly Unit[]): string {
  return units.map(({ char }) => char).join('');
}
