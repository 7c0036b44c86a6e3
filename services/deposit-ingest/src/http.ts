import type { DepositDetected } from '@weir/contracts';
import { checkTransfer, type Intake, isMalformed, type RawTransfer } from '@weir/intake';
import type { Queryable } from '@weir/postgres';
import { problem, requireRole } from '@weir/service-kit';
import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { z } from 'zod';

const maxBodyBytes = 64 * 1024;

/** The body of `POST /v1/deposits`. Unknown fields are refused: a misspelt `usd_value` must not be lost unseen. */
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

/** `POST /v1/deposits`: 202 when it is new, 200 when it is known, 409 when it contradicts what is known. */
export function depositRoutes(options: { db: Queryable; intake: Intake; now(): number }): Hono {
  const routes = new Hono();
  const limit = bodyLimit({
    maxSize: maxBodyBytes,
    onError: (c) => problem(c, 413, 'BODY_TOO_LARGE', `a body may have ${maxBodyBytes} bytes`),
  });
  routes.post('/v1/deposits', requireRole(options.db, ['ingest', 'admin']), limit, async (c) => {
    if (!/^application\/json\s*(;|$)/i.test(c.req.header('content-type') ?? '')) {
      return problem(c, 415, 'NOT_JSON', 'the body must be application/json');
    }
    const json = readJson(await c.req.arrayBuffer());
    if (json === undefined) return problem(c, 400, 'MALFORMED', 'the body is not JSON');
    const parsed = body.safeParse(json);
    if (!parsed.success) return malformed(c, parsed.error.issues[0]);
    const checked = checkTransfer(toRaw(parsed.data, options.now()));
    if (isMalformed(checked)) return problem(c, 400, 'MALFORMED', `${checked.field} ${checked.problem}`, { field: checked.field });
    // Told by topic such a transfer is held; who posts it can put it right.
    if (checked.faultField === 'chain') return problem(c, 400, 'MALFORMED', `chain: ${checked.faultDetail}`, { field: 'chain' });
    const standing = await options.intake.accept(checked, { topic: 'deposits.detected', data: toDeposit });
    if (standing === 'conflict') return problem(c, 409, 'CONFLICTING_CONTENT', 'this deposit_id was posted before with other content');
    return c.json({ screening_id: checked.screeningId }, standing === 'new' ? 202 : 200);
  });
  return routes;
}

/** Undefined when the bytes are not JSON. JSON is UTF-8 (RFC 8259): other bytes would be taken for one and the same sign. */
function readJson(bytes: ArrayBuffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

function malformed(c: Context, issue: z.core.$ZodIssue | undefined): Response {
  if (issue?.code === 'unrecognized_keys') {
    const field = issue.keys[0] ?? '';
    return problem(c, 400, 'MALFORMED', `${field} is not a field of a deposit`, { field });
  }
  const field = issue?.path.join('.') ?? '';
  if (field === '') return problem(c, 400, 'MALFORMED', 'the body is not a JSON object');
  return problem(c, 400, 'MALFORMED', `${field}: ${issue?.message}`, { field });
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

/** As the caller told it: whoever reads the topic normalises for themselves. */
function toDeposit(given: RawTransfer): DepositDetected {
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
