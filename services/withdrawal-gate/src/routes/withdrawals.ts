import { type CheckedTransfer, checkTransfer, isMalformed, rawTransferOf } from '@weir/intake';
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

const optional = z.string().nullable().default(null);
/** `POST /v1/withdrawals`. Rejects unknown fields, so that a misspelt `usd_value` is not lost silently. */
const body = z.strictObject({
  withdrawal_id: z.string(),
  chain: optional,
  coin: z.string(),
  to_address: z.string(),
  amount: z.string(),
  memo: optional,
  usd_value: optional,
  user_id: optional,
  requested_at: z.iso.datetime({ offset: true }).nullable().default(null),
});

/** POST may wait for the decision. */
export function withdrawalRoutes(gate: Gate): Hono {
  const { access, clock } = gate;
  const routes = new Hono();
  routes.post('/v1/withdrawals', admit(access, clock, answerLimitMs, machines), limitBody, async (c) => {
    const data = await readBody(c, body, 'a withdrawal');
    if (data instanceof Response) return data;
    const { memo, ...given } = data;
    const now = await answerWithin(clock, answerLimitMs, gate.intake.now());
    const requested_at = given.requested_at === null ? now : Date.parse(given.requested_at);
    const checked = checkTransfer(rawTransferOf({ ...given, requested_at }, now));
    const impossible = findImpossible(checked, memo ?? '');
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
  const standing = await intake.accept(checked, caller);
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
