import { findChain, parseAccount, parseMemo, readCoin } from '@weir/chains';
import { mismatch, type PermitClaims, readPermit } from '@weir/permit';
import { everybody, type Operation, operation, problem } from '@weir/service-kit';
import type { Context } from 'hono';
import { z } from 'zod';
import { GateUnavailable, answerWithin } from '../availability.ts';
import { redeemPermit } from '../permits/redeem.ts';
import { admit, machines } from './callers.ts';
import { answerLimitMs, closed, type Gate, redeemLimitMs } from './gate.ts';
import { redemptionFields } from './view.ts';

const redemptionBody = z.strictObject({
  permit: z.string().min(1),
  chain: z.string(),
  coin: z.string().min(1),
  to_address: z.string().min(1),
  amount: z.string().min(1),
  memo: z.string().nullish().meta({ description: 'Of the transaction, where the chain has one.' }),
  /** The caller's name for this attempt. A repeated redemption returns it, so that the caller recognises its own. */
  redemption_id: z
    .string()
    .regex(/^[\x21-\x7e]{1,128}$/, 'must be 1 to 128 visible ASCII characters')
    .nullish(),
});

const redemptionExample = {
  permit: 'eyJhbGciOiJFZERTQSJ9.e30.c2lnbmF0dXJl',
  chain: 'ethereum',
  coin: 'ETH',
  to_address: '0x28c6c06298d514db089934071355e5743bf21d60',
  amount: '1.5',
  redemption_id: 'attempt-1',
};
const redeemed = z.strictObject({
  withdrawal_id: z.string(),
  screening_id: z.guid(),
  revision: z.int().min(1),
  ...redemptionFields,
});
const redeemedExample = {
  withdrawal_id: 'w-1',
  screening_id: '9b2f7c1e-3d4a-5e6f-8a7b-1c2d3e4f5a6b',
  revision: 1,
  permit_id: '2f1e0d9c-8b7a-4655-9443-221100ffeedd',
  redeemed_at: '2026-01-31T09:13:00.000Z',
  redemption_id: 'attempt-1',
};
const keySet = z.strictObject({
  keys: z.array(z.looseObject({ kty: z.literal('OKP'), crv: z.literal('Ed25519'), x: z.string(), kid: z.string() })),
});
const keySetExample = {
  keys: [{ kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo', kid: 'key-1', alg: 'EdDSA', use: 'sig' }],
};

/** A redemption answers 200 once for all permits of a withdrawal. */
export function permitOperations(gate: Gate): readonly Operation[] {
  const post = operation({
    name: 'redeem_permit',
    method: 'POST',
    path: '/v1/permits/redeem',
    tag: 'permits',
    summary: 'Redeems a permit, once, just before the withdrawal leaves.',
    admission: admit(gate.access, gate.clock, redeemLimitMs, machines),
    body: { schema: redemptionBody, what: 'a redemption', example: redemptionExample },
    answers: [{ status: 200, description: 'The withdrawal may leave.', schema: redeemed, example: redeemedExample }],
    problems: {
      REDEEMED_BEFORE: [409, 'A permit of this withdrawal was redeemed before; `permit_id`, `redeemed_at` and `redemption_id` tell which.'],
      EXPIRED: [410, 'The permit has expired. Ask for the withdrawal again.'],
      REVOKED: [410, 'A later decision does not allow the withdrawal, or a local sanctions list names its receiver.'],
      NOT_VERIFIABLE: [422, 'This is no permit of this gate.'],
      MISMATCH: [422, 'The permit is for another transfer; `field` names the difference.'],
      ...closed,
    },
    repeats: 'A permit is redeemed once. 409 `REDEEMED_BEFORE` returns the `redemption_id`, so that a caller recognises its own.',
    respond: (c, { body }) =>
      answerWithin(gate.clock, redeemLimitMs, redeem(c, gate, body)).catch((error: unknown) => {
        gate.metrics.permits.inc({ result: 'unavailable' });
        throw error;
      }),
  });
  const keys = operation({
    name: 'get_permit_keys',
    method: 'GET',
    path: '/.well-known/jwks.json',
    tag: 'permits',
    summary: 'Lists the keys that permits verify with.',
    admission: everybody,
    answers: [
      {
        status: 200,
        description: 'A JWK set. Keep it as long as Cache-Control says.',
        type: 'application/jwk-set+json',
        schema: keySet,
        example: keySetExample,
        headers: { 'Cache-Control': 'public, max-age=SECONDS' },
      },
    ],
    problems: closed,
    respond: async (c) => {
      const published = await answerWithin(gate.clock, answerLimitMs, gate.keyring.published());
      c.header('cache-control', `public, max-age=${gate.keyring.maxAgeSeconds}`);
      return c.json(published, 200, { 'content-type': 'application/jwk-set+json' });
    },
  });
  return [post, keys];
}

async function redeem(c: Context, gate: Gate, data: z.infer<typeof redemptionBody>): Promise<Response> {
  const count = (result: string): void => gate.metrics.permits.inc({ result });
  const read = await readPermit(data.permit, gate.keyring.known);
  if (!read.ok && read.retriable) throw new GateUnavailable('the keys of permits cannot be read');
  if (!read.ok || read.permit.iss !== gate.issuing.issuer) {
    count('refused_unverifiable');
    return problem(c, 422, 'NOT_VERIFIABLE', 'this is no permit of this gate');
  }
  const field = findMismatch(read.permit, data);
  if (field !== undefined) {
    count('refused_mismatch');
    return problem(c, 422, 'MISMATCH', `the permit is for another ${field}`, { field });
  }
  await gate.availability.require();
  return answer(c, count, read.permit, data.permit, gate, data.redemption_id ?? undefined);
}

async function answer(
  c: Context,
  count: (result: string) => void,
  claims: PermitClaims,
  token: string,
  gate: Gate,
  redemptionId: string | undefined,
): Promise<Response> {
  const outcome = await redeemPermit(gate.issuing, { token, claims, redemptionId });
  // A caller may sign after either answer: it recognises its own redemption.
  if ('redemption' in outcome) await gate.journal?.record({ withdrawal_id: claims.sub, ...outcome.redemption });
  switch (outcome.result) {
    case 'redeemed':
      count('redeemed');
      return c.json(
        { withdrawal_id: claims.sub, screening_id: claims.screening_id, revision: claims.revision, ...outcome.redemption },
        200,
      );
    case 'redeemed_before':
      count('refused_redeemed');
      return problem(c, 409, 'REDEEMED_BEFORE', 'a permit of this withdrawal has been redeemed before', { ...outcome.redemption });
    case 'expired':
      count('refused_expired');
      return problem(c, 410, 'EXPIRED', 'the permit has expired; ask for the withdrawal again');
    case 'revoked':
      count('refused_revoked');
      return problem(
        c,
        410,
        'REVOKED',
        'the permit was revoked: a later decision does not allow this withdrawal, or a local sanctions list names its receiver',
      );
    case 'unknown':
      count('refused_unverifiable');
      return problem(c, 422, 'NOT_VERIFIABLE', 'this is no permit of this gate');
  }
}

/**
 * The first term that differs. Chain and coin are read as those of a withdrawal. An X-address or a muxed account with another memo beside it
 * is for neither memo.
 */
function findMismatch(permit: PermitClaims, { chain, coin, to_address, amount, memo }: z.infer<typeof redemptionBody>): string | undefined {
  const known = findChain(chain);
  if (known === undefined) return mismatch(permit, { chain, coin, amount, to_address, memo });
  const account = parseAccount(known, to_address);
  const given = memo ? (parseMemo(known, memo) ?? memo) : account?.memo;
  if (account?.memo !== undefined && given !== account.memo) return 'memo';
  // A coin that people allowed while it was unknown stands in the permit as it was written.
  const symbol = coin === permit.coin ? coin : (readCoin(coin, chain)?.symbol ?? coin);
  return mismatch(permit, { chain: known, coin: symbol, amount, to_address: account?.address ?? to_address, memo: given });
}
