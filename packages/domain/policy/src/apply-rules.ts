import type { Action, ReasonCode } from '@weir/contracts';
import { type Evidence, strictness, type Verdict } from './evidence.ts';
import { ruleVariablesOf } from './rule-variables.ts';
import type { Policy } from './policy.ts';
import { type CompiledRule, programsOf } from './rules.ts';

interface Voice {
  readonly action: Action;
  readonly line: string;
  readonly codes: readonly ReasonCode[];
}

/**
 * The strictest action of table and rules wins, and its first rule is named.
 * If `mayRelax`, the first matching rule with `may_relax` replaces a stricter table action, never another rule's.
 * A rule that cannot be evaluated holds the transfer.
 */
export function applyRules(policy: Policy, evidence: Evidence, table: Verdict, mayRelax: boolean): Verdict {
  const facts = ruleVariablesOf(policy, evidence);
  let base: Voice = { action: table.action, line: table.rule, codes: table.reason_codes };
  let isRelaxed = false;
  const voices: Voice[] = [];
  for (const compiled of programsOf(policy)) {
    const { name, action, may_relax } = compiled.rule;
    const answer = ask(compiled, facts);
    if (answer === 'no') continue;
    const line = `rules.${name}`;
    const code: ReasonCode = `RULE:${name}`;
    if (answer === 'failed') voices.push({ action: 'review', line, codes: [code, `RULE_FAILED:${name}`] });
    else if (may_relax !== true || strictness[action] >= strictness[table.action]) voices.push({ action, line, codes: [code] });
    else if (mayRelax && !isRelaxed) {
      isRelaxed = true;
      base = { action, line, codes: [code, ...base.codes] };
    }
  }
  const all = [base, ...voices].toSorted((a, b) => strictness[b.action] - strictness[a.action]);
  const first = all[0] ?? base;
  return { action: first.action, rule: first.line, reason_codes: [...new Set(all.flatMap(({ codes }) => codes))] };
}

function ask({ program }: CompiledRule, facts: ReturnType<typeof ruleVariablesOf>): 'yes' | 'no' | 'failed' {
  try {
    return program(facts) ? 'yes' : 'no';
  } catch {
    // Unknown value: the rule may match.
    return 'failed';
  }
}
