import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSecureContext } from 'node:tls';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isCurrent, issue, makeAuthority, renewBelowDays } from './certificates.ts';

const dayMs = 86_400_000;
const names = ['postgres', 'localhost'];
let folder: string;
let authorityFile: string;
let authority: X509Certificate;
let pem: string;
let now: Date;
const inDays = (days: number): Date => new Date(now.getTime() + days * dayMs);

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'weir-authority-'));
  authorityFile = join(folder, 'authority.pem');
  writeFileSync(authorityFile, makeAuthority(), { mode: 0o600 });
  authority = new X509Certificate(readFileSync(authorityFile));
  now = authority.validFromDate;
  pem = issue(authorityFile, authority, names, now);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('an authority signs for ten years', () => {
  expect(authority.ca).toBe(true);
  expect(authority.verify(authority.publicKey)).toBe(true);
  expect((authority.validToDate.getTime() - now.getTime()) / dayMs).toBe(3_650);
});

test('a server has a key with its certificate, for its names alone', () => {
  const certificate = new X509Certificate(pem);
  expect(() => createSecureContext({ cert: pem, key: pem })).not.toThrow();
  expect(certificate.ca).toBe(false);
  expect(certificate.subjectAltName).toBe('DNS:postgres, DNS:localhost');
  expect(certificate.publicKey.asymmetricKeyDetails).toEqual({ namedCurve: 'prime256v1' });
  expect(Math.round((certificate.validToDate.getTime() - now.getTime()) / dayMs)).toBe(825);
});

test('it is renewed when few days are left, for another name, and under another authority', () => {
  expect(isCurrent(pem, authority, names, now)).toBe(true);
  expect(isCurrent(pem, authority, names, inDays(825 - renewBelowDays - 1))).toBe(true);
  expect(isCurrent(pem, authority, names, inDays(825 - renewBelowDays + 1))).toBe(false);
  expect(isCurrent(pem, authority, [...names, 'database'], now)).toBe(false);
  const other = new X509Certificate(makeAuthority());
  expect(other.subject).toBe(authority.subject);
  expect(isCurrent(pem, other, names, now)).toBe(false);
});

test('it ends with its authority at the latest', () => {
  const late = issue(authorityFile, authority, names, inDays(3_600));
  expect(Math.round((new X509Certificate(late).validToDate.getTime() - now.getTime()) / dayMs)).toBe(50);
});
