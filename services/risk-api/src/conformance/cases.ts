import { callCases } from './calls.cases.ts';
import { limitCases } from './limits.cases.ts';
import { payCases } from './pay.cases.ts';
import { resultCases } from './results.cases.ts';
import { taskCases } from './tasks.cases.ts';
import type { Cases } from './world.ts';

/** A case for each row of the specification's tables, by row id, and `extra: …` cases. */
export const cases: Cases = { ...resultCases, ...taskCases, ...callCases, ...limitCases, ...payCases };
