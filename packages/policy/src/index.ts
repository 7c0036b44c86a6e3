export { decide, type Evidence, type Verdict } from './decide.ts';
export { loadPolicy, type Policy, PolicyError, parsePolicy } from './policy.ts';
