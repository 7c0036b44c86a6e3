import { routes } from './generated/api.ts';
import type { AnyInput, OperationName } from './operations.ts';

/** POSTs that Weir recognises when they are repeated, and the field of the body that it recognises them by. */
const recognisedBy: Readonly<Partial<Record<OperationName, string>>> = {
  post_deposit: 'deposit_id',
  post_withdrawal: 'withdrawal_id',
  redeem_permit: 'redemption_id',
  add_note: 'text',
  answer_resolution: 'resolution_id',
  watch_addresses: 'chain',
  revoke_token: 'reason',
};

/** Whether a repeat of the call has no second effect. */
export function isIdempotent(name: OperationName, { body }: AnyInput): boolean {
  const [method] = routes[name];
  if (method !== 'POST') return true;
  const field = recognisedBy[name];
  return field !== undefined && typeof (body as Record<string, unknown> | undefined)?.[field] === 'string';
}
