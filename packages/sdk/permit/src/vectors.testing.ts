import { createHash, createPrivateKey, createPublicKey, sign as signBytes } from 'node:crypto';
import type { PermitClaims } from './claims.ts';
import { localKeys } from './keys.ts';
import { permitType } from './read.ts';
import { type ExpectedTerms, verifyPermit } from './verify.ts';

/** A permit, the transaction that it is asked for, and the answer of `verifyPermit`. */
interface PermitVector {
  readonly name: string;
  readonly permit: string;
  readonly expected: ExpectedTerms;
  /** Unix seconds. */
  readonly now: number;
  readonly result: { readonly ok: true } | { readonly ok: false; readonly code: string; readonly field?: string };
}

export interface PermitVectors {
  readonly issuer: string;
  readonly jwks: { readonly keys: readonly object[] };
  readonly cases: readonly PermitVector[];
}

const now = 1_800_000_000;
const claims: PermitClaims = {
  iss: 'weir',
  sub: 'w-1',
  jti: '7b0a2b1c-6b0e-4d0c-9a53-0b1f6d3f8a01',
  iat: now,
  exp: now + 300,
  chain: 'ethereum',
  coin: 'USDT-ERC20',
  to_address: '0x28c6c06298d514db089934071355e5743bf21d60',
  amount: '10.5',
  screening_id: '7b0a2b1c-6b0e-5d0c-9a53-0b1f6d3f8a02',
  revision: 1,
};
const ripple = { chain: 'ripple', coin: 'XRP', to_address: 'rEb8TK3gBgk5auZkwc6sHnwrGVJH8DuaLh', amount: '25', memo: '104729' };
const terms = { withdrawal_id: 'w-1', chain: claims.chain, coin: claims.coin, to_address: claims.to_address, amount: claims.amount };

const encode = (part: object | string): string => Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url');
const prefix = Buffer.from('302e020100300506032b657004220420', 'hex');
/** The keys follow from their names, so that no secret key is stored. Never use them outside of tests. */
const keyOf = (name: string) =>
  createPrivateKey({
    key: Buffer.concat([prefix, createHash('sha256').update(`Weir test vectors: ${name}`).digest()]),
    format: 'der',
    type: 'pkcs8',
  });

/** Signed as the gate signs; `header` and a text as payload make permits that no gate issues. */
function issue(payload: object | string, header: object = {}, key = 'key-1'): string {
  const input = `${encode({ alg: 'EdDSA', kid: 'key-1', typ: permitType, ...header })}.${encode(payload)}`;
  return `${input}.${signBytes(null, Buffer.from(input), keyOf(key)).toString('base64url')}`;
}

/** The vectors of vectors.json. Ed25519 signatures are deterministic, so they are always the same. */
export async function makeVectors(): Promise<PermitVectors> {
  const jwk = { ...createPublicKey(keyOf('key-1')).export({ format: 'jwk' }), kid: 'key-1', alg: 'EdDSA', use: 'sig' };
  const jwks = { keys: [jwk] };
  const good = issue(claims);
  const [header = '', payload = '', signature = ''] = good.split('.');
  const tagged = issue({ ...claims, ...ripple });
  const withoutRevision = { ...claims, revision: undefined };
  const cases: [name: string, permit: string, expected?: ExpectedTerms, at?: number][] = [
    ['a good permit', good],
    ['the amount with a superfluous zero', good, { ...terms, amount: '10.50' }],
    ['the address with its checksum in mixed case', good, { ...terms, to_address: '0x28C6c06298d514Db089934071355E5743bf21d60' }],
    ['the signer does not know the withdrawal', good, { ...terms, withdrawal_id: undefined }],
    ['a destination tag', tagged, { ...ripple }],
    ['a gate whose clock is five seconds ahead', good, terms, now - 5],
    ['the last millisecond', good, terms, now + 299.999],
    ['another destination tag', tagged, { ...ripple, memo: '104728' }],
    ['no destination tag', tagged, { ...ripple, memo: undefined }],
    ['a memo that the permit does not have', good, { ...terms, memo: '1' }],
    ['another withdrawal', good, { ...terms, withdrawal_id: 'w-2' }],
    ['another chain', good, { ...terms, chain: 'bsc' }],
    ['another coin', good, { ...terms, coin: 'USDC-ERC20' }],
    ['another address', good, { ...terms, to_address: '0x28c6c06298d514db089934071355e5743bf21d61' }],
    ['a larger amount', good, { ...terms, amount: '10.51' }],
    ['an amount with an exponent', good, { ...terms, amount: '105e-1' }],
    ['too early', good, terms, now - 6],
    ['expired', good, terms, now + 300],
    ['another gate', issue({ ...claims, iss: 'other' })],
    ['a claim that is not known', issue({ ...claims, aud: 'x' })],
    ['a claim that is missing', issue(withoutRevision)],
    ['an amount that is not canonical', issue({ ...claims, amount: '10.50' })],
    ['a claim of another type', issue({ ...claims, exp: String(claims.exp) })],
    ['a claim twice', issue(JSON.stringify(claims).replace('{', '{"amount":"1000000",'))],
    ['a blank in the claims', issue(JSON.stringify(claims).replace('{', '{ '))],
    ['the algorithm none', `${encode({ alg: 'none', kid: 'key-1', typ: permitType })}.${payload}.${signature}`],
    ['another algorithm', issue(claims, { alg: 'HS256' })],
    ['another type of token', issue(claims, { typ: 'JWT' })],
    ['a header that is not known', issue(claims, { zip: 'DEF' })],
    ['a key that the gate does not publish', issue(claims, { kid: 'key-2' })],
    ['signed with another key', issue(claims, {}, 'key-2')],
    ['a claim changed after the signature', `${header}.${encode({ ...claims, amount: '1000000' })}.${signature}`],
    ['half the signature', `${header}.${payload}.${signature.slice(0, 43)}`],
    ['padding', `${header}.${payload}.${signature}==`],
    ['a line end after it', `${good}\n`],
    ['no signature', `${header}.${payload}.`],
    ['a fourth part', `${good}.${signature}`],
    ['longer than any permit', `${good}${'A'.repeat(5_000)}`],
    ['a word', 'permit'],
  ];
  const keys = localKeys({ keys: [jwk] });
  const vectors = cases.map(async ([name, permit, expected = terms, at = now]): Promise<PermitVector> => {
    const verified = await verifyPermit(permit, { keys, issuer: 'weir', expected, now: at * 1_000 });
    const { code, field } = verified.ok ? { code: '', field: undefined } : verified;
    const result = verified.ok ? ({ ok: true } as const) : ({ ok: false, code, ...(field !== undefined && { field }) } as const);
    return { name, permit, expected, now: at, result };
  });
  return { issuer: 'weir', jwks, cases: await Promise.all(vectors) };
}
