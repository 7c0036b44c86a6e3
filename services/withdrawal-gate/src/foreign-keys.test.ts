import { randomUUID } from 'node:crypto';
import { type PermitClaims, permitAlgorithm, permitType } from '@weir/permit';
import { createLogger } from '@weir/service-kit';
import { CompactSign, calculateJwkThumbprint, decodeJwt, exportJWK, generateKeyPair } from 'jose';
import { expect, test, vi } from 'vitest';
import { stackForEachTest } from './gate.testing.ts';

/** An attacker who can write to `gate.keys` but does not know the gate's secret. */
const tested = stackForEachTest();
const { open } = tested;

type Gate = Awaited<ReturnType<typeof open>>;

/** Stores an attacker's key pair in the older form, with the private part in the clear. */
async function insertKey(over: { mac?: Buffer; signsFrom?: string } = {}) {
  const { publicKey, privateKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), alg: 'EdDSA', use: 'sig' };
  const kid = await calculateJwkThumbprint(jwk);
  await tested.stack.db.pool.query(
    `INSERT INTO gate.keys (kid, public_jwk, private_key, signs_from) VALUES ($1, $2, $3, ${over.signsFrom ?? 'now()'})`,
    [kid, { ...jwk, kid }, JSON.stringify({ ...(await exportJWK(privateKey)), kid })],
  );
  if (over.mac !== undefined) await tested.stack.db.pool.query('UPDATE gate.keys SET mac = $2 WHERE kid = $1', [kid, over.mac]);
  return { kid, privateKey };
}

const published = async (gate: Gate): Promise<string[]> =>
  (await gate.ask('GET', '/.well-known/jwks.json', { role: '' })).body.keys.map(({ kid }: { kid: string }) => kid);
const unauthenticated = async (gate: Gate): Promise<number | undefined> =>
  (await gate.pipeline.metrics.registry.getSingleMetric('weir_permit_keys_unauthenticated')?.get())?.values[0]?.value;

/** Signs the same permit with the attacker's key and stores it. */
async function forge(permit: string, { kid, privateKey }: Awaited<ReturnType<typeof insertKey>>): Promise<string> {
  const claims: PermitClaims = { ...(decodeJwt(permit) as unknown as PermitClaims), jti: randomUUID() };
  const forged = await new CompactSign(new TextEncoder().encode(JSON.stringify(claims)))
    .setProtectedHeader({ alg: permitAlgorithm, kid, typ: permitType })
    .sign(privateKey);
  await tested.stack.db.pool.query('UPDATE gate.permits SET permit_id = $1, kid = $2, token = $3', [claims.jti, kid, forged]);
  return forged;
}

test('a permit key that somebody inserts is not published, signs nothing and redeems nothing; it is logged and counted', async () => {
  const lines: string[] = [];
  const logger = createLogger({ service: 'test', level: 'error', destination: { write: (line: string) => void lines.push(line) } });
  const gate = await open({ permitKeyRotationMs: 60_000 }, { logger });
  const own = await published(gate);
  await gate.settle('w-1', 'allow');
  const { permit } = (await gate.get('w-1')).body;
  const foreign = await insertKey();
  expect(await published(gate)).toEqual(own);
  expect(await gate.redeem(await forge(permit, foreign))).toMatchObject({ status: 422, body: { code: 'NOT_VERIFIABLE' } });
  await gate.settle('w-2', 'allow');
  const next = (await gate.get('w-2')).body.permit;
  expect(await gate.redeem(next)).toMatchObject({ status: 200 });

  const replica = await open({ permitKeyRotationMs: 60_000 }, { logger });
  expect(await published(replica)).toEqual(own);
  expect(await unauthenticated(replica)).toBe(1);
  // A running gate finds it at its next key rotation step.
  await vi.waitFor(async () => expect(await unauthenticated(gate)).toBe(1), 15_000);
  expect(lines.filter((line) => line.includes(foreign.kid))).toHaveLength(2);
  // It neither replaces the gate's key nor is changed.
  expect(
    (await tested.stack.db.pool.query('SELECT retired_at FROM gate.keys WHERE kid = $1 AND private_key IS NOT NULL', [foreign.kid])).rows,
  ).toEqual([{ retired_at: null }]);
  expect((await gate.ask('GET', '/.well-known/jwks.json', { role: '' })).body.keys.map(({ kid }: { kid: string }) => kid)).toEqual(own);
});

test('a MAC of another key, or under another secret, authenticates nothing', async () => {
  const gate = await open();
  const own = await published(gate);
  const { rows } = await tested.stack.db.pool.query<{ mac: Buffer }>('SELECT mac FROM gate.keys');
  await insertKey({ mac: rows[0]?.mac as Buffer });
  await insertKey({ mac: Buffer.alloc(32) });
  await insertKey({ mac: Buffer.alloc(0) });
  expect(await published(gate)).toEqual(own);
  expect(await unauthenticated(await open())).toBe(3);
});

test('a public key that somebody puts into an authenticated row is not published', async () => {
  const gate = await open();
  const foreign = await insertKey();
  await tested.stack.db.pool.query(
    `UPDATE gate.keys SET public_jwk = jsonb_set(public_jwk, '{x}', (SELECT public_jwk->'x' FROM gate.keys WHERE kid = $1)) WHERE kid <> $1`,
    [foreign.kid],
  );
  expect(await published(gate)).toEqual([]);
});

test('a key without a MAC, which a gate of the version before stored beside the migration, neither ends the start nor is published', async () => {
  await (await open()).stop();
  await tested.stack.db.pool.query('DELETE FROM gate.keys');
  const { kid } = await insertKey();
  const lines: string[] = [];
  const logger = createLogger({ service: 'test', level: 'warn', destination: { write: (line: string) => void lines.push(line) } });
  const gate = await open({}, { logger });
  expect(await published(gate)).toEqual([expect.not.stringMatching(kid)]);
  expect(await unauthenticated(gate)).toBe(1);
  expect(lines.filter((line) => line.includes(kid))).toHaveLength(1);
  await gate.settle('w-1', 'allow');
  expect(await gate.redeem((await gate.get('w-1')).body.permit)).toMatchObject({ status: 200 });
});

test('a gate whose database holds only keys of somebody else does not start', async () => {
  await (await open()).stop();
  await tested.stack.db.pool.query('DELETE FROM gate.keys');
  await insertKey({ mac: Buffer.alloc(32), signsFrom: "now() + interval '1 day'" });
  await expect(open()).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
});
