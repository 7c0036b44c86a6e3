import plans from './plans.json' with { type: 'json' };
import type { ProviderLimits } from './port.ts';

export const planNames = ['standard', 'compliance', 'enterprise'] as const;
export type PlanName = (typeof planNames)[number];

const published: Readonly<Record<string, Readonly<Partial<Record<PlanName, Partial<ProviderLimits>>>>>> = plans.plans;

/** The published limits of a provider's plan; none where it publishes none. Undefined: it has no such plan. */
export function limitsOfPlan(kind: string, plan: PlanName): Partial<ProviderLimits> | undefined {
  const ofProvider = published[kind];
  return ofProvider === undefined ? {} : ofProvider[plan];
}
