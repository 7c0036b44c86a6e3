import { createSecretKey, randomBytes } from 'node:crypto';
import { ManualClock } from '@weir/clock';
import fc from 'fast-check';
import { decodeJwt, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ScanQuery } from './query.ts';
import { assessment } from '@weir/risk-report/testing';
import { lazarus, openTestReports, origin, type Replica, storeResult, type TestReports } from './testing.ts';

const scannedAt = 1_784_194_205;
const query: ScanQuery = { chain: 'ethereum', kind: 'address', subject: lazarus, direction: 'deposit', coin: 'ETH', scannedAt };
const day = 86_400_000;

let reports: TestReports;

beforeAll(async () => {
  reports = await openTestReports();
  await storeResult(reports.database, query, assessment);
});
afterAll(() => reports.stop());

const clockAt = (ms = scannedAt * 1000): ManualClock => new ManualClock(ms);
const tokenOf = (url: string): string => new URL(url).searchParams.get('access_token') ?? '';
const withToken = (token: string): string => `${origin}/v1/risk_report?access_token=${encodeURIComponent(token)}`;

function withoutExpiry({ exp, ...claims }: JWTPayload): JWTPayload {
  expect(exp).toBeTypeOf('number');
  return claims;
}

async function refusal(replica: Replica, url: string): Promise<unknown> {
  const response = await replica.get(url);
  return { status: response.status, body: await response.json() };
}
const refused = (msg: string) => ({ status: 403, body: { success: false, msg, data: {} } });

describe('the address of a report', () => {
  it('is a PDF that no cache keeps, no link tells of and no log holds', async () => {
    const replica = reports.open({ clock: clockAt() });
    const url = await replica.url(query, origin);
    expect(url).toMatch(/^https:\/\/risk\.example\/v1\/risk_report\?access_token=[\w-]+\.[\w-]+\.[\w-]+$/);
    const response = await replica.get(url);
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/pdf',
      'content-disposition': 'inline; filename="weir-report-ethereum-0x098B716B8A-20260716.pdf"',
      'cache-control': 'private, no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    });
    expect(
      Buffer.from(await response.arrayBuffer())
        .subarray(0, 5)
        .toString(),
    ).toBe('%PDF-');
  });

  it('answers HEAD without making a report', async () => {
    const replica = reports.open({ clock: clockAt() });
    const response = await replica.get(await replica.url(query, origin), 'HEAD');
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/pdf']);
    expect(replica.logs()).not.toContain('report made');
  });

  it('says what was asked and nothing else', async () => {
    const replica = reports.open({ clock: clockAt() });
    expect(decodeJwt(tokenOf(await replica.url(query, origin)))).toEqual({
      sub: lazarus,
      chain: 'ethereum',
      kind: 'address',
      direction: 'deposit',
      coin: 'ETH',
      at: scannedAt,
      aud: 'weir-risk-report',
      exp: scannedAt + 86_400,
    });
  });

  it('ends after its time', async () => {
    const clock = clockAt();
    const replica = reports.open({ clock, ttlMs: 60_000 });
    const url = await replica.url(query, origin);
    await clock.advance(59_000);
    expect((await replica.get(url, 'HEAD')).status).toBe(200);
    await clock.advance(1_000);
    expect(await refusal(replica, url)).toEqual(refused('ExpiredAccessToken'));
  });

  it('is good at every replica', async () => {
    const clock = clockAt();
    const [one, other] = [reports.open({ clock }), reports.open({ clock })];
    expect((await other.get(await one.url(query, origin), 'HEAD')).status).toBe(200);
  });
});

describe('a token that is not ours', () => {
  it.each<[string, Partial<Record<keyof JWTPayload, unknown>>]>([
    ['chain', { chain: 'tron' }],
    ['kind', { kind: 'txid' }],
    ['subject', { sub: '0x28c6c06298d514db089934071355e5743bf21d60' }],
    ['direction', { direction: 'withdraw' }],
    ['coin', { coin: 'USDT-ERC20' }],
    ['scan', { at: scannedAt + 1 }],
    ['expiry', { exp: scannedAt + 900_000 }],
    ['audience', { aud: 'another' }],
    ['sandbox target', { sandbox: lazarus }],
  ])('is refused when its %s was changed', async (_, change) => {
    const replica = reports.open({ clock: clockAt() });
    const [head, body, signature] = tokenOf(await replica.url(query, origin)).split('.');
    const changed = { ...JSON.parse(Buffer.from(body ?? '', 'base64url').toString()), ...change };
    const forged = [head, Buffer.from(JSON.stringify(changed)).toString('base64url'), signature].join('.');
    expect(await refusal(replica, withToken(forged))).toEqual(refused('InvalidAccessToken'));
  });

  it.each<[string, (claims: JWTPayload, kid: string, secret: Buffer) => string | Promise<string>]>([
    ['has no algorithm', (claims) => new UnsecuredJWT(claims).encode()],
    [
      'is signed with another key',
      (claims, kid) => new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid }).sign(createSecretKey(randomBytes(32))),
    ],
    [
      'is signed in another way with our key',
      (claims, kid, secret) =>
        new SignJWT(claims).setProtectedHeader({ alg: 'HS512', kid }).sign(createSecretKey(Buffer.concat([secret, secret]))),
    ],
    ['names no key', (claims, _, secret) => new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(createSecretKey(secret))],
    [
      'never ends',
      (claims, kid, secret) => new SignJWT(withoutExpiry(claims)).setProtectedHeader({ alg: 'HS256', kid }).sign(createSecretKey(secret)),
    ],
    [
      'is for something else',
      (claims, kid, secret) =>
        new SignJWT({ ...claims, aud: 'other' }).setProtectedHeader({ alg: 'HS256', kid }).sign(createSecretKey(secret)),
    ],
    [
      'asks for what is none',
      (claims, kid, secret) =>
        new SignJWT({ ...claims, chain: 'nowhere' }).setProtectedHeader({ alg: 'HS256', kid }).sign(createSecretKey(secret)),
    ],
  ])('is refused when it %s', async (_, forge) => {
    const replica = reports.open({ clock: clockAt() });
    const token = tokenOf(await replica.url(query, origin));
    const { rows } = await reports.database.pool.query<{ id: string; secret: Buffer }>(
      'SELECT id, secret FROM risk.report_keys ORDER BY created_at DESC LIMIT 1',
    );
    const [key] = rows;
    if (key === undefined) throw new Error('no key');
    const forged = await forge(decodeJwt(token), key.id, key.secret);
    expect(await refusal(replica, withToken(forged))).toEqual(refused('InvalidAccessToken'));
  });

  it('is refused when it is missing, given twice, or any text', async () => {
    const replica = reports.open({ clock: clockAt() });
    const good = await replica.url(query, origin);
    const path = `${origin}/v1/risk_report`;
    for (const url of [path, `${path}?access_token=`, `${good}&access_token=${tokenOf(good)}`, withToken('a'.repeat(100_000))]) {
      expect(await refusal(replica, url)).toEqual(refused('InvalidAccessToken'));
    }
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 80 }), async (text) => {
        fc.pre(text.isWellFormed());
        expect(await refusal(replica, withToken(text))).toEqual(refused('InvalidAccessToken'));
      }),
      { numRuns: 50 },
    );
  });

  it('made up by the thousand asks the database for its key once a second', async () => {
    const clock = clockAt();
    const replica = reports.open({ clock });
    await replica.url(query, origin);
    const stranger = await new SignJWT(decodeJwt(tokenOf(await replica.url(query, origin))))
      .setProtectedHeader({ alg: 'HS256', kid: 'unheard-of' })
      .sign(createSecretKey(randomBytes(32)));
    await reports.database.pool.query('ALTER TABLE risk.report_keys RENAME TO report_keys_away');
    try {
      // Each query would fail, as the table is away.
      for (let i = 0; i < 20; i++) expect(await refusal(replica, withToken(stranger))).toEqual(refused('InvalidAccessToken'));
      await clock.advance(1_000);
      expect((await replica.get(withToken(stranger))).status).toBe(500);
    } finally {
      await reports.database.pool.query('ALTER TABLE risk.report_keys_away RENAME TO report_keys');
    }
  });
});

describe('keys', () => {
  it('are made once, replaced after 30 days, and kept for as long as what they signed is good', async () => {
    const fresh = await openTestReports();
    try {
      const ids = async (): Promise<string[]> =>
        (await fresh.database.pool.query<{ id: string }>('SELECT id FROM risk.report_keys ORDER BY created_at')).rows.map(({ id }) => id);
      const clock = clockAt();
      const replica = fresh.open({ clock });
      await replica.url(query, origin);
      await replica.url(query, origin);
      const [first] = await ids();
      expect(await ids()).toEqual([first]);

      await clock.advance(30 * day - 1_000);
      const old = await replica.url(query, origin);
      await clock.advance(61_000);
      const replaced = await replica.url(query, origin);
      expect(await ids()).toEqual([first, expect.any(String)]);
      // Another replica knows both.
      const other = fresh.open({ clock });
      expect([(await other.get(old, 'HEAD')).status, (await other.get(replaced, 'HEAD')).status]).toEqual([200, 200]);

      await clock.advance(31 * day);
      await replica.url(query, origin);
      expect(await ids()).not.toContain(first);
      expect(await ids()).toHaveLength(2);
    } finally {
      await fresh.stop();
    }
  });

  it("another replica's new key verifies at once", async () => {
    const clock = clockAt();
    const [one, other] = [reports.open({ clock }), reports.open({ clock })];
    await one.url(query, origin);
    await reports.database.pool.query('DELETE FROM risk.report_keys');
    await clock.advance(1_000);
    expect((await one.get(await other.url(query, origin), 'HEAD')).status).toBe(200);
  });

  it('in memory go on signing while the database is away', async () => {
    const clock = clockAt();
    const replica = reports.open({ clock });
    await replica.url(query, origin);
    await clock.advance(120_000);
    await reports.database.pool.query('ALTER TABLE risk.report_keys RENAME TO report_keys_away');
    try {
      expect(await replica.url(query, origin)).toContain('access_token=');
    } finally {
      await reports.database.pool.query('ALTER TABLE risk.report_keys_away RENAME TO report_keys');
    }
  });
});
