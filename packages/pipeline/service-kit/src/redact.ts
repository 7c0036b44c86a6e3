/**
 * Removes query values, fragment and credentials. If credentials cannot be separated, as with an unescaped `/` in a password, only the
 * scheme stays.
 */
export function withoutQueryValues(url: string): string {
  const [, before = '', query] = /^([^?#]*)(?:\?([^#]*))?/s.exec(url) ?? [];
  return `${withoutCredentials(before)}${query === undefined ? '' : `?${query.split('&').map(nameOnly).join('&')}`}`;
}

/** Without `=` it may be a value as well as a name. */
function nameOnly(pair: string): string {
  const at = pair.indexOf('=');
  return at < 0 ? '***' : `${pair.slice(0, at)}=***`;
}

function withoutCredentials(url: string): string {
  return url.replace(/([a-z][a-z0-9+.-]*:\/\/)([^/\\\s]*)(\S*)/gi, (_, scheme: string, authority: string, path: string) => {
    const host = authority.slice(authority.lastIndexOf('@') + 1);
    const isCut = /:(?!\d{0,5}$)/.test(host.replace(/^\[[^\]]*\]/, '')) || (authority.includes(':') && path.includes('@'));
    if (isCut) return `${scheme}***`;
    return `${scheme}${host === authority ? '' : '***@'}${host}${path.includes('://') ? withoutCredentials(path) : path}`;
  });
}

/** A text with every URL and path in it redacted likewise. */
export function withoutSecrets(text: string): string {
  return text.replace(/\S+/g, (word) => {
    if (word.includes('://')) return word.replace(/[a-z][a-z0-9+.-]*:\/\/.*$/is, withoutQueryValues);
    return /\?.*=/s.test(word) ? withoutQueryValues(word) : word;
  });
}
