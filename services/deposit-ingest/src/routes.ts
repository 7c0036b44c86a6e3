import type { DepositDetected } from '@weir/contracts';
import { checkTransfer, type Intake, isMalformed, type RawTransfer } from '@weir/intake';
import { type Access, limitBody, problem, readBody, requireRole } from '@weir/service-kit';
import { Hono } from 'hono';
import { z } from 'zod';

/** `POST /v1/deposits`. Rejects unknown fields, so that a misspelt `usd_value` is not lost silently. */
const body = z.strictObject({
  deposit_id: z.string(),
  chain: z.string().nullish(),
  coin: z.string(),
  txid: z.string().nullish(),
  from_address: z.string().nullish(),
  to_address: z.string(),
  amount: z.string(),
  usd_value: z.string().nullish(),
  user_id: z.string().nullish(),
  detected_at: z.iso.datetime({ offset: true }).nullish(),
});

/** 202 for a new deposit, 200 for a known one, 409 when it contradicts the known one. */
export function depositRoutes(options: { access: Access; intake: Intake }): Hono {
  const routes = new Hono();
  routes.post('/v1/deposits', requireRole(options.access, ['ingest', 'admin']), limitBody, async (c) => {
    const data = await readBody(c, body, 'a deposit');
    if (data instanceof Response) return data;
    const checked = checkTransfer(toRaw(data, await options.intake.now()));
    if (isMalformed(checked)) return problem(c, 400, 'MALFORMED', `${checked.field} ${checked.problem}`, { field: checked.field });
    // From the topic such a transfer is held; an HTTP caller can correct it.
    if (checked.faultField === 'chain') return problem(c, 400, 'MALFORMED', `chain: ${checked.faultDetail}`, { field: 'chain' });
    const standing = await options.intake.accept(checked, { topic: 'deposits.detected', data: toDeposit }, c.get('caller'));
    if (standing === 'conflict') return problem(c, 409, 'CONFLICTING_CONTENT', 'this deposit_id was posted before with other content');
    return c.json({ screening_id: checked.screeningId }, standing === 'new' ? 202 : 200);
  });
  return routes;
}

function toRaw(data: z.infer<typeof body>, now: number): RawTransfer {
  return {
    kind: 'deposit',
    sourceId: data.deposit_id,
    chain: data.chain ?? null,
    coin: data.coin,
    txid: data.txid ?? null,
    fromAddress: data.from_address ?? null,
    toAddress: data.to_address,
    amount: data.amount,
    usdValue: data.usd_value ?? null,
    userId: data.user_id ?? null,
    occurredAt: data.detected_at == null ? now : Date.parse(data.detected_at),
    receivedAt: now,
  };
}

/** In the caller's form: each consumer of the topic normalises. */
export function toDeposit(given: RawTransfer): DepositDetected {
  return {
    deposit_id: given.sourceId,
    chain: given.chain,
    coin: given.coin,
    txid: given.txid,
    from_address: given.fromAddress,
    to_address: given.toAddress,
    amount: given.amount,
    usd_value: given.usdValue,
    user_id: given.userId,
    detected_at: given.occurredAt,
  };
}
