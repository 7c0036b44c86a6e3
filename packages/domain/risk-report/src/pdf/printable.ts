/**
 * Characters in all cuts of the bundled Roboto: Latin, Greek, Cyrillic, currency signs, punctuation; without combining marks and zero-width
 * blanks, which change their neighbours.
 */
const inFont =
  /[ -~\u00a0-\u00ac\u00ae-\u017f\u018f\u0192\u01a0\u01a1\u01af\u01b0\u01f0\u01fa-\u01ff\u0218-\u021b\u0237\u0259\u02bc\u02c6\u02c7\u02c9\u02d8-\u02dd\u0384-\u038a\u038c\u038e-\u03a1\u03a3-\u03ce\u0400-\u0482\u048a-\u0513\u1e00\u1e01\u1e3e\u1e3f\u1e80-\u1e85\u1e9e\u1ea0-\u1ef9\u2010\u2011\u2013-\u2015\u2017-\u201e\u2020-\u2022\u2026\u2030\u2032\u2033\u2039\u203a\u2044\u20a3\u20a4\u20a6-\u20ac\u20b1\u20b9\u20ba\u20bc\u20bd\u2116\u2122\u2212\u2248\u2260\u2264\u2265]/u;

/** Longer texts are cut: no entity, source or category needs more. */
const maxCharacters = 160;
/** Texts of unprintable characters are cut sooner, as each takes seven places. */
const maxNamed = 40;

/**
 * Makes a text printable in the report's font. A run of other characters (scripts, emoji, direction marks) becomes their code points,
 * `[U+4E2D U+56FD]`, so that nothing vanishes and the name can be found again.
 */
export function printable(text: string): string {
  const characters = Array.from(text.normalize('NFC'));
  let line = '';
  let [named, taken] = [0, 0];
  for (const character of characters) {
    if (taken === maxCharacters || named === maxNamed) break;
    taken += 1;
    if (inFont.test(character)) {
      line += character;
      continue;
    }
    named += 1;
    const number = `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
    line = isRunOpen(line, named) ? `${line.slice(0, -1)} ${number}]` : `${line}[${number}]`;
  }
  return taken < characters.length ? `${line}…` : line;
}

/** Only a run that this function began, not a text that looks like one. */
function isRunOpen(line: string, named: number): boolean {
  return named > 1 && /\[(?:U\+[0-9A-F]{4,6} )*U\+[0-9A-F]{4,6}\]$/.test(line);
}

/** The same value with every text printable. */
export function printableAll<T>(value: T): T {
  if (typeof value === 'string') return printable(value) as T;
  if (Array.isArray(value)) return value.map(printableAll) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, printableAll(inner)])) as T;
}
