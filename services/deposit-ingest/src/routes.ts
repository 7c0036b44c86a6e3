import { checkTransfer, type Intake, isMalformed, rawTransferOf } from '@weir/intake';
import { type Access, limitBody, problem, readBody, requireRole } from '@weir/service-kit';
import { Hono } from 'hono';
import { z } from 'zod';

const optional = z.string().nullable().default(null);
/** `POST /v1/deposits`. Rejects unknown fields, so that a misspelt `usd_value` is not lost silently. */
const body = z.strictObject({
  deposit_id: z.string(),
  chain: optional,
  coin: z.string(),
  txid: optional,
  from_address: optional,
  to_address: z.string(),
  amount: z.string(),
  usd_value: optional,
  user_id: optional,
  detected_at: z.iso.datetime({ offset: true }).nullable().default(null),
});

/** 202 for a new deposit, 200 for a known one, 409 when it contradicts the known one. */
export function depositRoutes(options: { access: Access; intake: Intake }): Hono {
  const routes = new Hono();
  routes.post('/v1/deposits', requireRole(options.access, ['ingest', 'admin']), limitBody, async (c) => {
    const data = await readBody(c, body, 'a deposit');
    if (data instanceof Response) return data;
    const now = await options.intake.now();
    const detected_at = data.detected_at === null ? now : Date.parse(data.detected_at);
    const checked = checkTransfer(rawTransferOf({ ...data, detected_at }, now));
    if (isMalformed(checked)) return problem(c, 400, 'MALFORMED', `${checked.field} ${checked.problem}`, { field: checked.field });
    // From the topic such a transfer is held; an HTTP caller can correct it.
    if (checked.faultField === 'chain') return problem(c, 400, 'MALFORMED', `chain: ${checked.faultDetail}`, { field: 'chain' });
    const standing = await options.intake.accept(checked, c.get('caller'));
    if (standing === 'conflict') return problem(c, 409, 'CONFLICTING_CONTENT', 'this deposit_id was posted before with other content');
    return c.json({ screening_id: checked.screeningId }, standing === 'new' ? 202 : 200);
  });
  return routes;
}
