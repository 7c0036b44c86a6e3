/**
 * Headers of a page for people. It loads resources only from this origin, no other page may frame it, and no inline script runs. With a
 * nonce, a component library may add styles.
 */
export function pageHeaders(nonce?: string): Readonly<Record<string, string>> {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    nonce === undefined ? "style-src 'self'" : `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ];
  return { 'content-security-policy': policy.join('; '), 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' };
}
