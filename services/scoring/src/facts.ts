import { createHash, createHmac } from 'node:crypto';
import type { ScreeningRequested } from '@weir/contracts';
import type { RiskProvider, TransferFacts } from '@weir/risk-provider';

/** The facts of a request that its question depends on. */
export type FactsOf = (request: ScreeningRequested) => TransferFacts;

/**
 * The facts that any of these providers needs. The customer's id is replaced by a pseudonym, an HMAC under `secret`: the same id gives the
 * same pseudonym as long as the secret stays.
 */
export function factsFor(providers: readonly RiskProvider[], secret: string): FactsOf {
  return (request) => {
    const needed = new Set(providers.flatMap((provider) => provider.needs(request)));
    const { to_address, amount, occurred_at, user_id } = request.transfer;
    const all: Required<TransferFacts> = {
      user: createHmac('sha256', secret)
        .update(user_id ?? '')
        .digest('hex')
        .slice(0, 32),
      attempt: request.screening_id,
      to_address,
      amount,
      occurred_at,
    };
    return Object.fromEntries(Object.entries(all).filter(([name]) => needed.has(name as keyof TransferFacts)));
  };
}

/** The part of a lookup's key beside chain and subject: the direction, with a suffix for a question about more than the subject. */
export function lookupDirection(direction: string, facts: TransferFacts, { isShadow = false } = {}): string {
  const about = Object.keys(facts).length === 0 ? '' : JSON.stringify(facts);
  if (about === '' && !isShadow) return direction;
  return `${direction} ${createHash('sha256').update(`${isShadow}\n${about}`).digest('hex').slice(0, 32)}`;
}
