export { chainalysisProvider } from './chainalysis/chainalysis.ts';
export { type OwnCategories, readOwnCategories } from './categories.ts';
export { ellipticProvider } from './elliptic/elliptic.ts';
export { misttrackProvider } from './misttrack/misttrack.ts';
export { limitsOfPlan, type PlanName, planNames } from './plans.ts';
export type { AskAnswer, ProviderLimits, Question, RiskProvider, TransferFacts } from './port.ts';
export { specifiedProvider } from './specified.ts';
