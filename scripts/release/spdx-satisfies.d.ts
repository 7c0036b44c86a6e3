/** The package has no types. */
declare module 'spdx-satisfies' {
  /** Whether the expression can be met with the allowed licences. Throws when it is no SPDX expression. */
  export default function satisfies(expression: string, allowed: readonly string[]): boolean;
}
