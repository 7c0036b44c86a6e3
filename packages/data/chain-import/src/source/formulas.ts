/**
 * A spreadsheet evaluates a cell with such a start, even when quoted (OWASP, CSV injection): = + - @, tab, CR, LF, and full-width forms.
 * Leading blanks and single quotes are skipped, so that a text with its own quote stays distinct from a neutralised one.
 */
const formula = /^'*(?:[\t\r\n]|\s*[=+\-@\uff1d\uff0b\uff0d\uff20])/;

/** Prefixes a single quote where a spreadsheet would see a formula. */
export function neutralised(text: string): string {
  return formula.test(text) ? `'${text}` : text;
}

/** The inverse of `neutralised`. */
export function unneutralised(text: string): string {
  return text.startsWith("'") && formula.test(text) ? text.slice(1) : text;
}
