import { base64url, type CryptoKey, CompactSign, exportJWK, generateKeyPair, type JWK } from 'jose';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ExpectedTerms, localKeys, type PermitClaims, permitType, remoteKeys, verifyPermit } from './index.ts';
import { tamper } from './testing.ts';

const now = 1_800_000_000_000;
const claims: PermitClaims = {
  iss: 'weir',
  sub: 'w-1',
  jti: '7b0a2b1c-6b0e-4d0c-9a53-0b1f6d3f8a01',
  iat: now / 1_000,
  exp: now / 1_000 + 300,
  chain: 'ethereum',
  coin: 'USDT-ERC20',
  to_address: '0x28c6c06298d514db089934071355e5743bf21d60',
  amount: '10.5',
  screening_id: '7b0a2b1c-6b0e-5d0c-9a53-0b1f6d3f8a02',
  revision: 1,
};
const expected: ExpectedTerms = {
  withdrawal_id: 'w-1',
  chain: 'ethereum',
  coin: 'USDT-ERC20',
  to_address: claims.to_address,
  amount: '10.5',
};

let privateKey: CryptoKey;
let jwk: JWK;
let token: string;
beforeAll(async () => {
  const pair = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true });
  privateKey = pair.privateKey;
  jwk = { ...(await exportJWK(pair.publicKey)), kid: 'key-1', alg: 'EdDSA', use: 'sig' };
  token = await sign(claims);
});

/** Signs like the gate; a text payload or extra headers give tokens that the gate never issues. */
function sign(payload: object | string, header: object = {}): Promise<string> {
  const bytes = new TextEncoder().encode(typeof payload === 'string' ? payload : JSON.stringify(payload));
  return new CompactSign(bytes).setProtectedHeader({ alg: 'EdDSA', kid: 'key-1', typ: permitType, ...header }).sign(privateKey);
}

const verify = (permit: string, over: Partial<Parameters<typeof verifyPermit>[1]> = {}) =>
  verifyPermit(permit, { keys: localKeys({ keys: [jwk] }), issuer: 'weir', expected, now, ...over });

test('a permit for what is expected is good', async () => {
  expect(await verify(token)).toEqual({ ok: true, permit: claims });
  for (const over of [{ withdrawal_id: undefined }, { amount: '10.50' }, { to_address: '0x28C6c06298d514Db089934071355E5743bf21d60' }]) {
    expect(await verify(token, { expected: { ...expected, ...over } })).toMatchObject({ ok: true });
  }
});

test.each<[keyof ExpectedTerms, unknown]>([
  ['withdrawal_id', 'w-2'],
  ['withdrawal_id', ''],
  ['chain', 'bsc'],
  ['chain', undefined],
  ['coin', 'USDC-ERC20'],
  ['to_address', `0x${'1'.repeat(40)}`],
  ['to_address', ''],
  ['amount', '10.51'],
  ['amount', '1e1'],
  ['amount', '10,5'],
  ['amount', 10.5],
  ['amount', undefined],
])('one for another %s (%j) is refused', async (field, value) => {
  expect(await verify(token, { expected: { ...expected, [field]: value } })).toEqual({
    ok: false,
    code: 'MISMATCH',
    retriable: false,
    field,
  });
});

test('case matters where it means something', async () => {
  const base58 = 'TQrY8tryqsYVCYS3MFbtffiPp2ccyn4STm';
  const tron = await sign({ ...claims, chain: 'tron', coin: 'TRX', to_address: base58 });
  const other = { ...expected, chain: 'tron', coin: 'TRX', to_address: base58 };
  expect(await verify(tron, { expected: other })).toMatchObject({ ok: true });
  expect(await verify(tron, { expected: { ...other, to_address: base58.toLowerCase() } })).toMatchObject({ field: 'to_address' });
  const segwit = 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq';
  const bitcoin = await sign({ ...claims, chain: 'bitcoin', coin: 'BTC', to_address: segwit });
  const upper = { ...expected, chain: 'bitcoin', coin: 'BTC', to_address: segwit.toUpperCase() };
  expect(await verify(bitcoin, { expected: upper })).toMatchObject({ ok: true });
});

test.each<[number, string | undefined]>([
  [-5_001, 'NOT_YET_VALID'],
  [-5_000, undefined],
  [299_999, undefined],
  [300_000, 'EXPIRED'],
  [Number.NaN, 'NOT_YET_VALID'],
  [Number.POSITIVE_INFINITY, 'EXPIRED'],
])('%i ms after it was issued: %s', async (ms, code) => {
  const result = await verify(token, { now: now + ms });
  expect(result.ok ? undefined : result.code).toBe(code);
});

test('of another gate it is refused', async () => {
  expect(await verify(token, { issuer: 'other' })).toMatchObject({ ok: false, code: 'WRONG_ISSUER' });
});

test('whatever is done to it without the key, it is refused', async () => {
  const attempts = await tamper(token, jwk);
  expect(attempts.length).toBeGreaterThan(110);
  const taken: string[] = [];
  for (const [what, attempt] of attempts) {
    expect(attempt, what).not.toBe(token);
    // Ignores the terms: the signature is checked before them.
    const result = await verify(attempt);
    if (result.ok || result.code === 'MISMATCH' || result.code === 'EXPIRED' || result.retriable) taken.push(what);
  }
  expect(taken).toEqual([]);
});

describe('what the gate itself would not write is not understood:', () => {
  test.each<[string, () => Promise<string>, string]>([
    ['a further claim', () => sign({ ...claims, aud: 'x' }), 'NOT_UNDERSTOOD'],
    ['a claim missing', () => sign({ ...claims, amount: undefined }), 'NOT_UNDERSTOOD'],
    ['an amount that is not canonical', () => sign({ ...claims, amount: '10.50' }), 'NOT_UNDERSTOOD'],
    ['a negative amount', () => sign({ ...claims, amount: '-1' }), 'NOT_UNDERSTOOD'],
    ['times as text', () => sign({ ...claims, exp: String(claims.exp) }), 'NOT_UNDERSTOOD'],
    ['no end', () => sign({ ...claims, exp: null }), 'NOT_UNDERSTOOD'],
    ['a revision of 0', () => sign({ ...claims, revision: 0 }), 'NOT_UNDERSTOOD'],
    ['a prototype', () => sign(JSON.stringify(claims).replace('{', '{"__proto__":{"amount":"1"},')), 'NOT_UNDERSTOOD'],
    ['a claim twice', () => sign(JSON.stringify(claims).replace('{', '{"amount":"10.5",')), 'MALFORMED'],
    ['blanks', () => sign(JSON.stringify(claims, null, 1)), 'MALFORMED'],
    ['no object', () => sign('"w-1"'), 'MALFORMED'],
    ['something after its end', () => sign(`${JSON.stringify(claims)}{}`), 'MALFORMED'],
    ['another typ', () => sign(claims, { typ: 'JWT' }), 'NOT_UNDERSTOOD'],
    ['another name of the algorithm', () => sign(claims, { alg: 'Ed25519' }), 'WRONG_ALGORITHM'],
    ['a further header', () => sign(claims, { cty: 'x' }), 'NOT_UNDERSTOOD'],
    ['a key in the header', () => sign(claims, { jwk }), 'NOT_UNDERSTOOD'],
  ])('%s', async (_, make, code) => {
    expect(await verify(await make())).toMatchObject({ ok: false, code });
  });

  test.each([undefined, null, 7, {}, []])('%j', async (value) => {
    expect(await verify(value as never)).toMatchObject({ ok: false, code: 'MALFORMED' });
  });
});

test('keys that are not for this are not used', async () => {
  for (const over of [{ use: 'enc' }, { alg: 'ES256' }, { crv: 'X25519' }, { kty: 'oct', k: base64url.encode('x'.repeat(32)) }]) {
    expect(await verify(token, { keys: localKeys({ keys: [{ ...jwk, ...over }] }) })).toMatchObject({ code: 'UNKNOWN_KEY' });
  }
});

describe('keys of an address', () => {
  const servers: Server[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) server.closeAllConnections();
  });
  const serve = (answer: RequestListener): Promise<string> =>
    new Promise((resolve) => {
      const server = createServer(answer);
      servers.push(server);
      server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks.json`));
      server.unref();
    });

  test('are fetched once, and again for a key that is new', async () => {
    let asked = 0;
    const kid = (): string => (asked > 1 ? 'key-1' : 'key-0');
    const keys = remoteKeys(
      await serve((_, response) => void (asked++, response.end(JSON.stringify({ keys: [{ ...jwk, kid: kid() }] })))),
      {
        cooldownMs: 0,
      },
    );
    const zero = await sign(claims, { kid: 'key-0' });
    for (let n = 0; n < 3; n++) expect(await verify(zero, { keys })).toMatchObject({ ok: true });
    expect(asked).toBe(1);
    expect(await verify(token, { keys })).toMatchObject({ ok: true });
    expect(await verify(zero, { keys })).toMatchObject({ ok: false, code: 'UNKNOWN_KEY' });
  });

  test.each<[string, RequestListener]>([
    ['500', (_, response) => response.writeHead(500).end('{"keys":[]}')],
    ['no JSON', (_, response) => response.end('<html>')],
    ['no keys', (_, response) => response.end('{}')],
    ['too much', (_, response) => response.end(JSON.stringify({ keys: [], more: 'x'.repeat(70_000) }))],
    ['another address', (_, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()],
    ['silence', () => undefined],
    ['half an answer', (_, response) => response.write('{"keys":[')],
  ])('that answers with %s: nothing verifies, and it can be tried again', async (_, answer) => {
    const keys = remoteKeys(await serve(answer), { timeoutMs: 300 });
    expect(await verify(token, { keys })).toEqual({ ok: false, code: 'KEYS_UNAVAILABLE', retriable: true });
  });

  test('that is away: the same', async () => {
    expect(await verify(token, { keys: remoteKeys('http://127.0.0.1:1/') })).toMatchObject({ ok: false, code: 'KEYS_UNAVAILABLE' });
  });
});

test('a permit with a memo is good for that memo only, and one without for none', async () => {
  const tagged = await sign({ ...claims, memo: '7' });
  expect(await verify(tagged, { expected: { ...expected, memo: '7' } })).toMatchObject({ ok: true, permit: { memo: '7' } });
  for (const memo of ['8', '', null, undefined]) {
    expect(await verify(tagged, { expected: { ...expected, memo } })).toMatchObject({ code: 'MISMATCH', field: 'memo' });
  }
  expect(await verify(token, { expected: { ...expected, memo: '7' } })).toMatchObject({ code: 'MISMATCH', field: 'memo' });
  expect(await verify(await sign({ ...claims, memo: '' }))).toMatchObject({ code: 'NOT_UNDERSTOOD', field: 'memo' });
});
