import type { WithdrawalRequested } from '@weir/contracts';
import { type CheckedTransfer, checkTransfer, isMalformed, type RawTransfer } from '@weir/intake';
import { type Caller, limitBody, problem, readBody, readers } from '@weir/service-kit';
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { answerWithin } from '../availability.ts';
import { holdBack } from '../standing.ts';
import { admit, machines } from './callers.ts';
import { answerLimitMs, type Gate } from './gate.ts';
import { findImpossible } from './impossible.ts';
import { readWait } from './prefer.ts';
import { view, type WithdrawalView } from './view.ts';

/** `POST /v1/withdrawals`. Rejects unknown fields, so that a misspelt `usd_value` is not lost silently. */
const body = z.strictObject({
  withdrawal_id: z.string(),
  chain: z.string().nullish(),
  coin: z.string(),
  to_address: z.string(),
  amount: z.string(),
  memo: z.string().nullish(),
  usd_value: z.string().nullish(),
  user_id: z.string().nullish(),
  requested_at: z.iso.datetime({ offset: true }).nullish(),
});

/** POST may wait for the decision. */
export function withdrawalRoutes(gate: Gate): Hono {
  const { access, clock } = gate;
  const routes = new Hono();
  routes.post('/v1/withdrawals', admit(access, clock, answerLimitMs, machines), limitBody, async (c) => {
    const data = await readBody(c, body, 'a withdrawal');
    if (data instanceof Response) return data;
    const checked = checkTransfer(toRaw(data, await answerWithin(clock, answerLimitMs, gate.intake.now())));
    const impossible = findImpossible(checked, data.memo ?? '');
    if (impossible !== undefined) {
      const { code, field, detail, hint } = impossible;
      return problem(c, 422, code, detail, { field, ...(hint !== undefined && { hint }) });
    }
    if (isMalformed(checked)) return problem(c, 400, 'MALFORMED', `${checked.field} ${checked.problem}`, { field: checked.field });
    if (checked.faultField === 'chain') return problem(c, 400, 'MALFORMED', `chain: ${checked.faultDetail}`, { field: 'chain' });
    const timeProblem = await answerWithin(clock, answerLimitMs, gate.intake.findTimeProblem(checked));
    if (timeProblem !== undefined) return problem(c, 422, 'INVALID_TRANSFER', `requested_at ${timeProblem}`, { field: 'requested_at' });
    const isTaken = await answerWithin(clock, answerLimitMs, takeIn(gate, checked, c.get('caller')));
    if (!isTaken) return problem(c, 409, 'CONFLICTING_CONTENT', 'this withdrawal_id was asked for before with other content');
    const wait = readWait(c.req.header('prefer'));
    if (wait.isAsked) c.header('preference-applied', `wait=${wait.seconds}`);
    return tell(c, await standingAfter(gate, checked.transfer.source_id, wait.seconds * 1_000, c.req.raw.signal));
  });
  routes.get('/v1/withdrawals/:id', admit(access, clock, answerLimitMs, [...machines, ...readers]), async (c) => {
    // Readers get no permit: it is a bearer secret.
    const permit = machines.includes(c.get('caller').role);
    const found = await view(gate, c.req.param('id'), { permit });
    if (found === undefined) return problem(c, 404, 'NOT_FOUND', 'nobody has asked for this withdrawal');
    c.header('cache-control', 'no-store');
    return c.json(found, 200);
  });
  return routes;
}

/** Once this resolves to true, the withdrawal will be screened and can be read, whatever happens. */
async function takeIn({ intake, pool }: Gate, checked: CheckedTransfer, caller: Caller): Promise<boolean> {
  const standing = await intake.accept(checked, { topic: 'withdrawals.requested', data: toWithdrawal }, caller);
  if (standing === 'conflict') return false;
  await holdBack(pool, [checked.transfer]);
  return true;
}

/** Waits for the decision, `waitMs` at most. Ends early when the caller has gone or no decision can arrive. */
async function standingAfter(gate: Gate, withdrawalId: string, waitMs: number, gone: AbortSignal): Promise<WithdrawalView | undefined> {
  const { clock, waiters, stopping } = gate;
  const until = clock.monotonic() + waitMs;
  const seat = waitMs > 0 ? waiters.join(withdrawalId) : undefined;
  try {
    for (let isFirst = true; ; isFirst = false) {
      const found = await view(gate, withdrawalId, { permit: true });
      const leftMs = until - clock.monotonic();
      if (found?.status !== 'pending' || seat === undefined || leftMs <= 0 || gone.aborted || stopping.aborted) return found;
      if (isFirst && (await gate.availability.unavailable()).length > 0) return found;
      await seat.wait(leftMs, AbortSignal.any([gone, stopping]));
    }
  } finally {
    seat?.leave();
  }
}

function tell(c: Context, found: WithdrawalView | undefined): Response {
  if (found === undefined) throw new TypeError('a withdrawal that was taken in was not found');
  c.header('cache-control', 'no-store');
  return c.json(found, found.status === 'pending' ? 202 : 200);
}

function toRaw(data: z.infer<typeof body>, now: number): RawTransfer {
  return {
    kind: 'withdrawal',
    sourceId: data.withdrawal_id,
    chain: data.chain ?? null,
    coin: data.coin,
    txid: null,
    fromAddress: null,
    toAddress: data.to_address,
    amount: data.amount,
    usdValue: data.usd_value ?? null,
    userId: data.user_id ?? null,
    occurredAt: data.requested_at == null ? now : Date.parse(data.requested_at),
    receivedAt: now,
  };
}

/** In the caller's form: each consumer of the topic normalises. */
export function toWithdrawal(given: RawTransfer): WithdrawalRequested {
  return {
    withdrawal_id: given.sourceId,
    chain: given.chain,
    coin: given.coin,
    to_address: given.toAddress,
    amount: given.amount,
    usd_value: given.usdValue,
    user_id: given.userId,
    requested_at: given.occurredAt,
  };
}
