import { canonicalCategory, type Label, type RiskType } from '@weir/risk-engine';
import type { Grounds, Report } from '../report.ts';
import { categoryWords, contributionWords } from './contributions.ts';
import type { Statement } from './statement.ts';

export const riskTypeWords: Readonly<Record<RiskType, string>> = {
  sanctioned_entity: 'Sanctioned entity',
  illicit_activity: 'Illicit activity',
  mixer: 'Mixer',
  gambling: 'Gambling',
  risk_exchange: 'Risk exchange',
  bridge: 'Bridge',
};

const maxNames = 3;

/** A contribution as a noun phrase, with the names of the labels. */
export function findingWords(key: string, labels: readonly Label[]): string {
  return contributionWords(key, (category) => `${bearerOf(category, labels)} (${categoryWords(category)}${namesOf(category, labels)})`);
}

function bearerOf(category: string, labels: readonly Label[]): string {
  const same = labels.filter((label) => canonicalCategory(label.category) === category);
  const isShared = same.length > 0 && same.every(({ via }) => via !== undefined);
  return isShared ? 'the label of an address that signed transactions together with it' : 'its own label';
}

function namesOf(category: string, labels: readonly Label[]): string {
  const names = [...new Set(labels.filter((label) => canonicalCategory(label.category) === category).map(({ name }) => name))];
  if (names.length === 0) return '';
  const more = names.length > maxNames ? ` and ${names.length - maxNames} more` : '';
  return `: ${names.slice(0, maxNames).join(', ')}${more}`;
}

/** Changes of the level without a finding. For a transaction, findings and level are those of its worst address. */
export function counterfactualStatements({ contributions, counterfactuals }: Grounds, { kind, level, score, labels }: Report): Statement[] {
  const its = kind === 'address' ? 'the level' : 'the level of the address that scored worst';
  if (contributions.length <= 1) {
    return [{ section: 'score', finding: { kind: 'contributions' }, text: 'No finding adds points, so none can be left out.' }];
  }
  if (counterfactuals.length === 0) {
    const text = `No finding alone decides: without any one of them ${its} would still be ${level}.`;
    return [{ section: 'score', finding: { kind: 'contributions' }, text }];
  }
  return counterfactuals.map((counterfactual) => ({
    section: 'score',
    finding: { kind: 'counterfactual', counterfactual },
    text: `Without ${findingWords(counterfactual.without, labels)} ${its} would be ${counterfactual.level} (score ${counterfactual.score}) and not ${level} (${score}).`,
  }));
}
