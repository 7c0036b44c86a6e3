import type { Operation, Pipeline } from '@weir/service-kit';
import { type AnalysisOptions, analysisOperations } from './analyses/routes.ts';
import { type BudgetOptions, budgetOperation } from './budget-routes.ts';
import { comparisonOperations, type NamedProvider } from './comparison-routes.ts';

type Parts = Pick<AnalysisOptions, 'provider' | 'explorer' | 'calls' | 'maxAnswerAgeMs'> &
  Pick<BudgetOptions, 'budget'> & { readonly providers: readonly NamedProvider[] };

/** Operations for people: any address, and the providers. */
export function scoringOperations(
  { pool: db, access, clock }: Pick<Pipeline, 'pool' | 'access' | 'clock'>,
  parts: Parts,
): readonly Operation[] {
  return [
    ...analysisOperations({ ...parts, access, clock }),
    budgetOperation({ ...parts, access, clock }),
    ...comparisonOperations({ db, access, clock, providers: parts.providers }),
  ];
}
