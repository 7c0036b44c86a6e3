import { type JsonString, percentDecodedUnits, scanJson, type Unit, unitsOf } from './json-strings.ts';

const mark = '***';
/** Shorter parameter values are no tokens, and would match everywhere. */
const shortestSecret = 8;
/** Parameters without secrets; their values may stay elsewhere in the answer. */
const harmless = new Set(['address', 'chain', 'coin', 'direction', 'hash', 'lang', 'language', 'locale', 'task_id', 'tx_hash', 'txid']);

/**
 * Removes all parameter values of `risk_report_url`, and every other occurrence of such a value or of a `known` secret,
 * escaped or percent-encoded. Keeps all else byte for byte. `json` must be valid; the result is too, unless a secret was a number.
 */
export function cutSecrets(json: string, known: readonly string[]): string {
  const found = new Set(known.filter((secret) => secret !== '').flatMap(formsOf));
  const urls = scanJson(json).strings.filter((string) => string.field === 'risk_report_url');
  const cut = rewrite(json, urls, (units) => cutParameters(units, found));
  // Longest first, so that no rest of a longer secret stays.
  const secrets = [...found].sort((a, b) => b.length - a.length);
  if (secrets.length === 0) return cut;
  // Percent-encoded forms first: their digits can look like a secret's own letters.
  const decoded = rewrite(cut, suspectsIn(cut, secrets), (units) => hide(percentDecodedUnits(units), secrets));
  const hidden = rewrite(decoded, suspectsIn(decoded, secrets), (units) => hide(units, secrets));
  return secrets.reduce((text, secret) => text.replaceAll(secret, mark), hidden);
}

/** Strings that may hold a secret: plainly, escaped or percent-encoded. Most hold none, and reading them unit by unit is slow. */
function suspectsIn(json: string, secrets: readonly string[]): JsonString[] {
  const isSuspect = (source: string): boolean =>
    source.includes('%') || source.includes('\\') || secrets.some((secret) => source.includes(secret));
  return isSuspect(json) ? scanJson(json).strings.filter(({ start, end }) => isSuspect(json.slice(start + 1, end - 1))) : [];
}

/** Plain, and as escaped in JSON. */
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

/** Treats everything after the first `?` or `#` as parameters: `name=value`, or a value alone. */
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
