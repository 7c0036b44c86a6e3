import { z } from 'zod';
import { compile, type ExpressionFault, type Program } from './expression.ts';
import { environmentOf } from './language.ts';

export const ruleSchema = z
  .strictObject({
    name: z.string().regex(/^[a-z0-9][a-z0-9-]{0,63}$/, 'must be lower case letters, digits and -, at most 64'),
    when: z.string('must be a condition in CEL'),
    action: z.enum(['block', 'review', 'allow'], 'must be block, review or allow'),
    may_relax: z.boolean('must be true or false').optional(),
  })
  .refine(({ action, may_relax }) => action !== 'allow' || may_relax === true, {
    path: ['action'],
    message: 'never has an effect: a rule makes a decision stricter, unless it says may_relax: true',
  })
  .refine(({ action, may_relax }) => action !== 'block' || may_relax !== true, {
    path: ['may_relax'],
    message: 'never has an effect: nothing is stricter than block',
  });

export type Rule = z.infer<typeof ruleSchema>;

interface WithRules {
  readonly history?: Readonly<Record<string, unknown>> | undefined;
  readonly rules?: readonly Rule[] | undefined;
}

export interface RuleFault extends Partial<Pick<ExpressionFault, 'start' | 'end' | 'hint'>> {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

export interface CompiledRule {
  readonly rule: Rule;
  readonly program: Program;
}

/** Expects a valid shape. */
export function compileRules(policy: WithRules): { compiled: readonly CompiledRule[]; faults: readonly RuleFault[] } {
  const { rules = [], history = {} } = policy;
  const compiled: CompiledRule[] = [];
  const faults: RuleFault[] = [];
  if (rules.length === 0) return { compiled, faults };
  const env = environmentOf(Object.keys(history));
  const seen = new Set<string>();
  for (const [at, rule] of rules.entries()) {
    if (seen.has(rule.name)) faults.push({ path: ['rules', at, 'name'], message: 'is the name of an earlier rule' });
    seen.add(rule.name);
    const program = compile(env, rule.when);
    if (typeof program === 'function') compiled.push({ rule, program });
    else faults.push(...program.map((fault) => ({ path: ['rules', at, 'when'], ...fault })));
  }
  return { compiled, faults };
}

/** Outside the policy, which stays plain data. */
const kept = new WeakMap<object, readonly CompiledRule[]>();

export function keepPrograms(policy: WithRules, compiled: readonly CompiledRule[]): void {
  kept.set(policy, compiled);
}

/** Compiles again for a copy. Throws a TypeError for faulty rules. */
export function programsOf(policy: WithRules): readonly CompiledRule[] {
  const known = kept.get(policy);
  if (known !== undefined) return known;
  const { compiled, faults } = compileRules(policy);
  if (faults.length > 0) throw new TypeError('the rules of this policy were not checked');
  keepPrograms(policy, compiled);
  return compiled;
}
