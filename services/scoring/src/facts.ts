import { createHash, createHmac } from 'node:crypto';
import type { Transfer } from '@weir/contracts';
import type { Question, RiskProvider, TransferFacts } from '@weir/risk-provider';

/** A question with its transfer. Facts that the transfer does not have are absent. */
interface AboutTransfer extends Omit<Question, 'facts'> {
  readonly screening_id: string;
  readonly transfer: Pick<Transfer, 'occurred_at' | 'user_id'> & Partial<Pick<Transfer, 'to_address' | 'amount'>>;
}

/** The facts of a request that its question depends on. */
export type FactsOf = (request: AboutTransfer) => TransferFacts;

/**
 * The facts that any of these providers needs. The customer's id is replaced by a pseudonym, an HMAC under `secret`: the same id gives the
 * same pseudonym as long as the secret stays.
 */
export function factsFor(providers: readonly RiskProvider[], secret: string): FactsOf {
  return (request) => {
    const needed = new Set(providers.flatMap((provider) => provider.needs(request)));
    if (needed.size === 0) return {};
    const { to_address, amount, occurred_at, user_id } = request.transfer;
    const all: { [name in keyof TransferFacts]-?: TransferFacts[name] | undefined } = {
      user: createHmac('sha256', secret)
        .update(user_id ?? '')
        .digest('hex')
        .slice(0, 32),
      attempt: request.screening_id,
      to_address,
      amount,
      occurred_at,
    };
    return Object.fromEntries(
      Object.entries(all).filter(([name, value]) => value !== undefined && needed.has(name as keyof TransferFacts)),
    );
  };
}

/** The part of a lookup's key beside chain and subject: the direction, with a suffix for a question about more than the subject. */
export function lookupDirection(direction: string, facts: TransferFacts, { isShadow = false } = {}): string {
  const about = Object.keys(facts).length === 0 ? '' : JSON.stringify(facts);
  if (about === '' && !isShadow) return direction;
  return `${direction} ${createHash('sha256').update(`${isShadow}\n${about}`).digest('hex').slice(0, 32)}`;
}
