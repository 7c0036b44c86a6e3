import { createHmac, createPublicKey, KeyObject, sign as signBytes } from 'node:crypto';
import { base64url, type CryptoKey, exportJWK, generateKeyPair, type JWK } from 'jose';
import { permitType } from './read.ts';

/** A token that must be rejected, and its manipulation. */
export type Tampered = readonly [what: string, token: string];

const encode = (part: unknown): string => base64url.encode(typeof part === 'string' ? part : JSON.stringify(part));
const partsOf = (token: string): [string, string, string] => token.split('.') as [string, string, string];
const readPart = (part: string): Record<string, unknown> => JSON.parse(new TextDecoder().decode(base64url.decode(part)));

/** Attacks on a permit without the gate's private key: every claim, every header, algorithm confusion. */
export async function tamper(token: string, gateKey: JWK): Promise<Tampered[]> {
  const [header, payload, signature] = partsOf(token);
  return [
    ...claimsChanged(token),
    ...headersChanged(token),
    ...(await signedByOthers(token, gateKey)),
    ...shapes(header, payload, signature),
  ];
}

function claimsChanged(token: string): Tampered[] {
  const [header, payload, signature] = partsOf(token);
  const claims = readPart(payload);
  const others = (value: unknown): unknown[] =>
    typeof value === 'number'
      ? [value + 1, value - 1, String(value), null]
      : [`${String(value)}0`, String(value).slice(0, -1), null, [value]];
  const changed = Object.entries(claims).flatMap(([name, value]) => [
    ...others(value).map((other): [string, object] => [`${name} ${JSON.stringify(other)}`, { ...claims, [name]: other }]),
    [`without ${name}`, Object.fromEntries(Object.entries(claims).filter(([key]) => key !== name))] as [string, object],
  ]);
  return [
    ...changed.map(([what, other]): Tampered => [what, `${header}.${encode(other)}.${signature}`]),
    ['a further claim', `${header}.${encode({ ...claims, aud: 'x' })}.${signature}`],
    ['a claim twice', `${header}.${encode(JSON.stringify(claims).replace('{', '{"amount":"1000000",'))}.${signature}`],
    ['a claim twice, at the end', `${header}.${encode(JSON.stringify(claims).replace(/\}$/, ',"amount":"1000000"}'))}.${signature}`],
    ['a blank', `${header}.${encode(JSON.stringify(claims).replace('{', '{ '))}.${signature}`],
  ];
}

function headersChanged(token: string): Tampered[] {
  const [header, payload, signature] = partsOf(token);
  const head = readPart(header);
  const { kid: _, ...withoutKid } = head;
  const { typ: __, ...withoutTyp } = head;
  const changed: [string, unknown][] = [
    ...['none', 'None', 'NONE', 'HS256', 'RS256', 'ES256', 'Ed25519', 'EdDSA ', '', null].map((alg): [string, unknown] => [
      `alg ${JSON.stringify(alg)}`,
      { ...head, alg },
    ]),
    ...['other', '', null, 7, `${String(head['kid'])}x`, '../../keys', "' OR 1=1 --"].map((kid): [string, unknown] => [
      `kid ${JSON.stringify(kid)}`,
      { ...head, kid },
    ]),
    ['no kid', withoutKid],
    ['no typ', withoutTyp],
    ...['JWT', 'WEIR-PERMIT+JWT', null].map((typ): [string, unknown] => [`typ ${JSON.stringify(typ)}`, { ...head, typ }]),
    ['crit', { ...head, crit: ['exp'] }],
    ['b64', { ...head, b64: false, crit: ['b64'] }],
    ['a further header', { ...head, zip: 'DEF' }],
    ['alg twice', JSON.stringify(head).replace('{', '{"alg":"none",')],
    ['a list', [head]],
    ['not JSON', '{'],
  ];
  return changed.map(([what, other]): Tampered => [`header: ${what}`, `${encode(other)}.${payload}.${signature}`]);
}

/** Correct signatures with another key, or with public values as the key. */
async function signedByOthers(token: string, gateKey: JWK): Promise<Tampered[]> {
  const [, payload] = partsOf(token);
  const { kid } = gateKey;
  const own = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true });
  const jwk = await exportJWK(own.publicKey);
  const foreign = (head: object): Tampered => [`another key: ${Object.keys(head).join()}`, signed(head, payload, own.privateKey)];
  const base = { alg: 'EdDSA', kid, typ: permitType };
  const published = createPublicKey({ key: gateKey as object, format: 'jwk' } as never);
  const publicBytes: [string, Buffer | string][] = [
    ['raw', Buffer.from(base64url.decode(gateKey.x ?? ''))],
    ['x', gateKey.x ?? ''],
    ['DER', published.export({ type: 'spki', format: 'der' })],
    ['PEM', published.export({ type: 'spki', format: 'pem' })],
    ['PEM without its last line end', (published.export({ type: 'spki', format: 'pem' }) as string).trim()],
    ['JWK', JSON.stringify(gateKey)],
    ['empty', ''],
  ];
  const hmacs = publicBytes.flatMap(([what, key]) =>
    (['256', '384', '512'] as const).map((bits): Tampered => {
      const input = `${encode({ ...base, alg: `HS${bits}` })}.${payload}`;
      return [`HS${bits} with the public key (${what})`, `${input}.${createHmac(`sha${bits}`, key).update(input).digest('base64url')}`];
    }),
  );
  return [
    foreign(base),
    foreign({ ...base, kid: 'mine' }),
    foreign({ ...base, jwk }),
    foreign({ ...base, jku: 'https://keys.example/jwks.json' }),
    foreign({ ...base, x5c: ['AA=='] }),
    foreign({ ...base, x5u: 'https://keys.example/cert' }),
    ...hmacs,
  ];
}

function signed(header: object, payload: string, key: CryptoKey): string {
  const input = `${encode(header)}.${payload}`;
  // jose refuses to sign some of these headers.
  return `${input}.${signBytes(null, Buffer.from(input), KeyObject.from(key)).toString('base64url')}`;
}

function shapes(header: string, payload: string, signature: string): Tampered[] {
  const bytes = base64url.decode(signature);
  const flipped = bytes.with(0, (bytes[0] ?? 0) ^ 1);
  // Adds the group's order, little-endian, to the second half: a malleable form of the same signature.
  const order = 2n ** 252n + 27742317777372353535851937790883648493n;
  const scalar = bytes.slice(32).reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n) + order;
  const malleable = Uint8Array.from([
    ...bytes.slice(0, 32),
    ...Array.from({ length: 32 }, (_, n) => Number((scalar >> BigInt(8 * n)) & 255n)),
  ]);
  const last = signature.at(-1) ?? '';
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const sameBits = alphabet[alphabet.indexOf(last) ^ 1] ?? '';
  return [
    ['no signature', `${header}.${payload}.`],
    ['no third part', `${header}.${payload}`],
    ['a fourth part', `${header}.${payload}.${signature}.${signature}`],
    ['one bit of the signature', `${header}.${payload}.${base64url.encode(flipped)}`],
    ['the signature in its other form', `${header}.${payload}.${base64url.encode(malleable)}`],
    ['bits of the last character that do not count', `${header}.${payload}.${signature.slice(0, -1)}${sameBits}`],
    ['padding', `${header}.${payload}.${signature}==`],
    ['half the signature', `${header}.${payload}.${signature.slice(0, 43)}`],
    ['zeros', `${header}.${payload}.${base64url.encode(new Uint8Array(64))}`],
    ['a blank before', ` ${header}.${payload}.${signature}`],
    ['a line end after', `${header}.${payload}.${signature}\n`],
    ['as JSON', JSON.stringify({ protected: header, payload, signature })],
    ['much too long', `${header}.${payload}.${signature}${'A'.repeat(5_000)}`],
    ['nothing but dots', '..'],
    ['a word', 'permit'],
  ];
}
