import { systemClock } from '@weir/clock';
import { remoteKeys, verifyPermit } from '@weir/permit';
import { createLogger } from '@weir/service-kit';
import { decodeProtectedHeader } from 'jose';
import { expect, test, vi } from 'vitest';
import { stackForEachTest, terms } from './gate.testing.ts';

const tested = stackForEachTest();
const { open } = tested;

interface Key extends Record<string, unknown> {
  kid: string;
  private_key: string | null;
  signs_from: Date;
  published_at: Date;
  retired_at: Date | null;
}
const stored = async (): Promise<Key[]> => (await tested.stack.db.pool.query<Key>('SELECT * FROM gate.keys ORDER BY signs_from')).rows;
const kidOf = (permit: string): string => decodeProtectedHeader(permit).kid ?? '';

test('two replicas that start together make one key', async () => {
  await Promise.all([open(), open(), open()]);
  const keys = await stored();
  expect(keys.map(({ retired_at }) => retired_at)).toEqual([null]);
});

test('keys rotate without a gap, under two replicas: every permit verifies with keys that were fetched before it was issued', async () => {
  const rotationMs = 2_000;
  const two = [await open({ permitKeyRotationMs: rotationMs }), await open({ permitKeyRotationMs: rotationMs })] as const;
  // A verifier caches for as long as it may: it must know a new key before the key signs.
  const maxAgeMs = rotationMs / 8;
  const keys = remoteKeys(`${two[0].url}/.well-known/jwks.json`, { maxAgeMs, cooldownMs: 60_000 });
  const kids = new Map<string, string>();
  const end = systemClock.monotonic() + 120_000;
  for (let n = 0; kids.size < 4; n += 1) {
    if (systemClock.monotonic() > end) throw new Error(`only ${kids.size} keys have signed`);
    const id = `w-${n}`;
    await two[(n % 2) as 0 | 1].settle(id, 'allow');
    const { permit } = (await two[(n % 2) as 0 | 1].get(id)).body;
    kids.set(kidOf(permit), permit);
    const result = await verifyPermit(permit, { keys, issuer: 'weir', expected: terms, now: Date.now() });
    expect(result).toMatchObject({ ok: true });
  }
  // Permits of replaced keys are redeemed too, because their keys are kept while they are valid.
  for (const permit of kids.values()) expect(await two[1].redeem(permit)).toMatchObject({ status: 200 });
  const all = await stored();
  for (const [n, key] of all.slice(1).entries()) {
    // One after the other, each published a quarter of a rotation before it signs.
    expect(key.signs_from.getTime() - (all[n]?.signs_from.getTime() ?? 0)).toBeGreaterThanOrEqual(rotationMs);
    expect(key.signs_from.getTime() - key.published_at.getTime()).toBeGreaterThanOrEqual(rotationMs / 4 - 5);
  }
  // A replaced key has no private part and is still published.
  const [oldest = '', permit = ''] = [...kids][0] ?? [];
  const key = async (): Promise<Key | undefined> => (await stored()).find(({ kid }) => kid === oldest);
  const published = async (n: 0 | 1): Promise<string[]> =>
    (await two[n].ask('GET', '/.well-known/jwks.json', { role: '' })).body.keys.map(({ kid }: { kid: string }) => kid);
  await vi.waitFor(async () => expect(await key()).toMatchObject({ private_key: null, retired_at: null }), 10_000);
  expect(await published(0)).toContain(oldest);
  // Once all its permits have expired the key is no longer published, but its permits are still recognised.
  await tested.stack.db.pool.query("UPDATE gate.permits SET expires_at = clock_timestamp() - interval '1 day' WHERE kid = $1", [oldest]);
  await vi.waitFor(async () => expect((await key())?.retired_at).not.toBeNull(), 10_000);
  expect(await published(1)).not.toContain(oldest);
  expect(await two[0].redeem(permit)).toMatchObject({ status: 409 });
});

test('after a long time without a gate the key goes on signing until its successor has been published long enough', async () => {
  const first = await open();
  const [key] = await stored();
  await first.stop();
  await tested.stack.db.pool.query(
    "UPDATE gate.keys SET signs_from = signs_from - interval '1 year', published_at = published_at - interval '1 year'",
  );
  const next = await open();
  await next.settle('w-1', 'allow');
  expect(kidOf((await next.get('w-1')).body.permit)).toBe(key?.kid);
  const [, successor] = await stored();
  expect((successor?.signs_from.getTime() ?? 0) - (successor?.published_at.getTime() ?? 0)).toBeGreaterThan(7 * 86_400_000);
});

test('a database whose clock has gone back has a key to sign with', async () => {
  const first = await open();
  await first.stop();
  await tested.stack.db.pool.query("UPDATE gate.keys SET signs_from = signs_from + interval '1 year'");
  const next = await open();
  await next.settle('w-1', 'allow');
  expect(await next.redeem((await next.get('w-1')).body.permit)).toMatchObject({ status: 200 });
});

test('without a key that signs there is no permit, and no word of "allowed"', async () => {
  const gate = await open();
  await gate.settle('w-1', 'allow');
  await tested.stack.db.pool.query('UPDATE gate.keys SET private_key = NULL');
  const answer = await gate.get('w-1');
  expect(answer).toMatchObject({ status: 503, body: { code: 'UNAVAILABLE' } });
  expect(JSON.stringify(answer.body)).not.toContain('allowed');
});

const secrets = ['a'.repeat(32), 'b'.repeat(32), 'c'.repeat(40)] as const;

test('private keys are not in the database; the secret can be replaced, and a wrong one ends the start', async () => {
  await (await open({ permitKeySecret: secrets[0] })).stop();
  const [sealed] = await stored();
  expect(sealed?.private_key).toMatch(/^eyJ[\w-]+\.\.[\w-]+\.[\w-]+\.[\w-]+$/);
  await expect(open({ permitKeySecret: secrets[1] })).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: 'setting WEIR_PERMIT_KEY_SECRET is wrong: permit keys are stored, and none is authenticated under it',
  });
  await (await open({ permitKeySecret: `${secrets[1]},${secrets[0]}` })).stop();
  const gate = await open({ permitKeySecret: secrets[1] });
  await gate.settle('w-1', 'allow');
  const { permit } = (await gate.get('w-1')).body;
  expect(kidOf(permit)).toBe(sealed?.kid);
  expect(await gate.redeem(permit)).toMatchObject({ status: 200 });
});

test('without a secret the gate does not start, and says so in one line', async () => {
  await expect(open({ permitKeySecret: '' })).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringMatching(/^setting WEIR_PERMIT_KEY_SECRET is wrong: the gate needs a secret of at least 32 characters[^\n]*$/),
  });
});

test('no permit, no key and no secret is in any line of the log', async () => {
  const lines: string[] = [];
  const logger = createLogger({ service: 'test', level: 'trace', destination: { write: (line: string) => void lines.push(line) } });
  const gate = await open({ permitKeySecret: secrets[2] }, { logger });
  await gate.settle('w-1', 'allow');
  const { permit } = (await gate.get('w-1')).body;
  await gate.redeem(permit);
  await gate.redeem(permit);
  await gate.redeem(`${permit}x`);
  await tested.stack.db.pool.query('ALTER TABLE gate.permits RENAME TO broken');
  await gate.redeem(permit);
  await gate.get('w-1');
  await tested.stack.db.pool.query('ALTER TABLE gate.broken RENAME TO permits');
  await gate.stop();
  const text = lines.join('');
  for (const part of [...permit.split('.'), secrets[2], (await stored())[0]?.private_key ?? '-']) expect(text).not.toContain(part);
});
