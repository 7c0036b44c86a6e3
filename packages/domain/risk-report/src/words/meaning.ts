import { canonicalCategory, type Contradiction, isSuspicion, type Label, type Side } from '@weir/risk-engine';
import { type Grounds, type Report, type ReportExposure, shareOf } from '../report.ts';
import { categoryWords, tenths } from './contributions.ts';
import { findingWords, riskTypeWords } from './findings.ts';
import { levelWords, scoredSide } from './levels.ts';
import { percent, usd } from './numbers.ts';
import type { Finding, Statement } from './statement.ts';

/** Further labels and exposures appear in the tables alone. */
const maxLabels = 3;
const maxExposures = 4;

/** The result in sentences. Each follows from a finding, none from the level alone. */
export function meaning(report: Report): Statement[] {
  const { grounds, coverage } = report;
  if (grounds === undefined) {
    const text = 'The figures of a predefined result are made up and say nothing about the holder of the address.';
    return [say({ kind: 'predefined' }, text)];
  }
  if (coverage === 'none') return [levelOf(report), ...nothingKnown(report)];
  return [
    levelOf(report),
    ...largestPart(report, grounds),
    ...ownLabels(report, grounds),
    ...contradictions(report),
    ...flows(report),
    ...low(report, grounds),
  ];
}

function say(finding: Finding, text: string): Statement {
  return { section: 'meaning', finding, text };
}

function levelOf(report: Report): Statement {
  const of = report.kind === 'address' ? 'this address' : `the ${scoredSide(report)} of this transaction`;
  return say(
    { kind: 'level' },
    `The score of ${of} is ${report.score} of 100. Scores from ${levelWords[report.level].band} are the level ${report.level}.`,
  );
}

/** Of a transaction that mints or burns money one side is nobody. */
function nothingKnown(report: Report): Statement[] {
  const known =
    report.kind === 'address'
      ? 'Nothing is known of this address: the data had no label and no transfer of it at the scan.'
      : `Nothing is known of the ${scoredSide(report)} of this transaction: the data had no address of it at the scan.`;
  return [
    say({ kind: 'coverage' }, known),
    say({ kind: 'coverage' }, 'Low means here that nothing is known. It does not say that the funds are clean.'),
  ];
}

function largestPart(report: Report, { contributions }: Grounds): Statement[] {
  const points = tenths(contributions.map((contribution) => contribution.points));
  const [largest] = contributions
    .map(({ key }, index) => ({ key, points: points[index] ?? 0 }))
    .slice(1)
    .toSorted((a, b) => b.points - a.points);
  if (largest === undefined || largest.points === 0) return [];
  return [
    say(
      { kind: 'contribution', key: largest.key },
      `The largest finding is ${findingWords(largest.key, report.labels)}: ${largest.points.toFixed(1)} of the ${report.score} points.`,
    ),
  ];
}

function ownLabels(report: Report, { contributions }: Grounds): Statement[] {
  const who = bearer(report);
  if (who === undefined) return [];
  const counted = report.labels.filter(({ category }) => contributions.some(({ key }) => key === `own:${canonicalCategory(category)}`));
  // The contradiction says what counts.
  if (counted.length === 0 && contributions.some(({ key }) => key === 'own:contested')) return [];
  if (counted.length === 0) {
    const text =
      report.labels.length === 0 ? `${who} carries no label of its own.` : `No label of its own counts against ${lowerFirst(who)}.`;
    return [say({ kind: 'labels' }, text)];
  }
  return counted.slice(0, maxLabels).map((label) => say({ kind: 'label', label }, carriedWords(who, label)));
}

function carriedWords(who: string, label: Label): string {
  if (label.via === undefined) return `${who} itself carries the label ${labelWords(label)}.`;
  const { address, addresses, txid } = label.via;
  const evidence = txid === undefined ? '' : `, it for example in transaction ${txid}`;
  return `${who} belongs to ${addresses} addresses that signed transactions together${evidence}. One of them, ${address}, carries the label ${labelWords(label)}.`;
}

function contradictions(report: Report): Statement[] {
  const who = bearer(report);
  if (who === undefined) return [];
  return report.contradictions.map((contradiction) =>
    say({ kind: 'contradiction', contradiction }, contradictionWords(contradiction, lowerFirst(who))),
  );
}

function contradictionWords({ standing, service, accusation }: Contradiction, who: string): string {
  const counts =
    standing === 'service'
      ? 'The first counts, and a person has to look at the second.'
      : 'The second counts, so the first vouches for nothing.';
  return `The sources contradict each other. ${claimWords(service)}: ${who} is a service. ${claimWords(accusation)}: it is to be accused. ${counts}`;
}

function claimWords({ probability, categories, sources }: Contradiction['service']): string {
  return `By ${sources.join(', ')} (${categories.map(categoryWords).join(', ')}; probability ${Math.round(probability * 100)} %)`;
}

/** The address whose labels the report has; a transaction without an address on its side has none. */
function bearer({ kind, worstAddress }: Report): string | undefined {
  if (kind === 'address') return 'This address';
  return worstAddress === undefined ? undefined : 'The address that scored worst';
}

function labelWords({ name, category, source, confidence }: Label): string {
  const suspicion = isSuspicion(confidence) ? ', a suspicion' : '';
  return `“${name}” (${categoryWords(canonicalCategory(category))}; source: ${source}; confidence ${Math.round(confidence * 100)} %${suspicion})`;
}

function flows(report: Report): Statement[] {
  const words = report.kind === 'address' ? addressDealing : sideDealing;
  return report.exposures.slice(0, maxExposures).flatMap((exposure) => {
    const { side } = exposure;
    return side === undefined ? [] : [say({ kind: 'exposure', exposure }, words(exposure, side, report))];
  });
}

const contactWords: Readonly<Record<Side, string>> = { in: 'has received from', out: 'has paid to' };
const traceWords: Readonly<Record<Side, string>> = { in: 'comes from', out: 'leads to' };
const wholeWords: Readonly<Record<Side, string>> = { in: 'of all that it received', out: 'of all that it sent' };

function addressDealing(exposure: ReportExposure, side: Side): string {
  const { exposure_type, hop_num } = exposure;
  const part = `${shareOf(exposure) > 0 ? percent(shareOf(exposure)) : 'less than 0.01 %'} ${wholeWords[side]}`;
  if (exposure_type === 'direct') return `It ${contactWords[side]} ${entityWords(exposure)}: ${valueWords(exposure)}${part}.`;
  return `Through others, ${hop_num} hops away on the main path, ${valueWords(exposure)}${part} ${traceWords[side]} ${entityWords(exposure)}.`;
}

function sideDealing(exposure: ReportExposure, side: Side, report: Report): string {
  const member = `An address of the ${scoredSide(report)}`;
  if (exposure.exposure_type === 'direct') return `${member} is, or ${contactWords[side]}, ${entityWords(exposure)}.`;
  const way = side === 'in' ? 'Money that it received comes from' : 'Money that it sent leads to';
  return `${member} is linked through others, ${exposure.hop_num} hops away on the main path. ${way} ${entityWords(exposure)}.`;
}

function entityWords({ entity, risk_type, suspected, sources = [] }: ReportExposure): string {
  const by = sources.length === 0 ? '' : `; source: ${sources.join(', ')}`;
  return `“${entity}” (${lowerFirst(riskTypeWords[risk_type])}${suspected === true ? ', a suspicion' : ''}${by})`;
}

function valueWords({ volume }: ReportExposure): string {
  return volume > 0 ? `${usd(volume)} USD, ` : '';
}

function low({ level, score }: Report, { contributions }: Grounds): Statement[] {
  if (level !== 'Low') return [];
  const [base, ...others] = contributions;
  const text =
    others.length === 0
      ? 'Nothing that is known adds to the lowest score. Low means that nothing is known against it, and does not say that the funds are clean.'
      : `What is known against it adds ${score - Math.round(base?.points ?? 0)} points to the lowest score. Low does not say that the funds are clean.`;
  return [say({ kind: 'contributions' }, text)];
}

function lowerFirst(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1);
}
