export { valueAtPrice } from './contradicted.ts';
export { decide, stricter } from './decide.ts';
export { diffPolicies, limitsOf, type PolicyChange } from './diff.ts';
export { windowWords } from './diff-rules.ts';
export { rulesInWords } from './rule-words.ts';
export type { Evidence, Verdict } from './evidence.ts';
export { type HistoryWindow, toWindow, windowKey } from './history.ts';
export type { PolicyProblem } from './places.ts';
export { loadPolicy, type Policy, PolicyError, parsePolicy, readPolicy } from './policy.ts';
