import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { join } from 'node:path';

const dayMs = 86_400_000;
const authorityDays = 3_650;
/** Apple's clients refuse certificates that last longer. */
const serverDays = 825;
/** A certificate with fewer days left is renewed. */
export const renewBelowDays = 180;
const limitMs = 20_000;

/** A key and its certificate (PEM, ECDSA with P-256) in one text, so that a file of it never holds one without the other. */
export function makeAuthority(): string {
  return openssl('authority', authorityDays, ['-subj', '/CN=Weir docker compose']);
}

/** The same for a server, which `authorityFile` signs. It ends with its authority at the latest. */
export function issue(authorityFile: string, authority: X509Certificate, names: readonly string[], now: Date): string {
  const days = Math.min(serverDays, Math.floor(daysLeft(authority, now)));
  const sans = names.map((name) => `DNS:${name}`).join(',');
  const signed = ['-CA', authorityFile, '-CAkey', authorityFile, '-subj', `/CN=${names[0]}`, '-addext', `subjectAltName=${sans}`];
  return openssl('server', days, signed);
}

/** Whether the authority's key has signed it, for these names, and it need not be renewed yet. */
export function isCurrent(pem: string, authority: X509Certificate, names: readonly string[], now: Date): boolean {
  const certificate = new X509Certificate(pem);
  const isSigned = certificate.checkIssued(authority) && certificate.verify(authority.publicKey);
  const isNamed = names.every((name) => certificate.checkHost(name) !== undefined);
  return isSigned && isNamed && daysLeft(certificate, now) >= renewBelowDays;
}

function daysLeft({ validToDate }: X509Certificate, now: Date): number {
  return (validToDate.getTime() - now.getTime()) / dayMs;
}

/** Node.js reads certificates and cannot make them. */
function openssl(extensions: string, days: number, args: readonly string[]): string {
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-noenc', '-days', String(days)];
  const config = ['-config', join(import.meta.dirname, 'openssl.cnf'), '-extensions', extensions];
  return execFileSync('openssl', ['req', '-x509', ...config, ...kind, ...args, '-keyout', '-', '-out', '-'], {
    encoding: 'utf8',
    timeout: limitMs,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}
