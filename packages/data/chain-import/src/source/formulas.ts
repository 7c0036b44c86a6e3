/**
 * A spreadsheet takes a cell that begins so for a formula, however it is quoted in CSV (OWASP, CSV injection): = + - @, tab, CR, LF, and the wide
 * forms of the first four. Blanks and single quotes before it are looked through, so that what was neutralised can be told from what had a quote of its own.
 */
const formula = /^'*(?:[\t\r\n]|\s*[=+\-@\uff1d\uff0b\uff0d\uff20])/;

/** The text with a single quote before it where a spreadsheet would take it for a formula. */
export function neutralised(text: string): string {
  return formula.test(text) ? `'${text}` : text;
}

/** The text that `neutralised` was given. */
export function unneutralised(text: string): string {
  return text.startsWith("'") && formula.test(text) ? text.slice(1) : text;
}
