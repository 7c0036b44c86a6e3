import type { Report } from '../report.ts';
import { counterfactualStatements } from './findings.ts';
import { meaning } from './meaning.ts';
import { isService, reproductionStatements, unknownStatements } from './method.ts';
import { count, moment } from './numbers.ts';
import type { Finding, Section, Statement } from './statement.ts';

/** All sentences of a report about its subject. The rest is tables, and text common to all reports. */
export function statementsOf(report: Report): Statement[] {
  const { grounds } = report;
  return [
    ...meaning(report),
    ...(grounds === undefined ? [] : counterfactualStatements(grounds, report)),
    ...labelStatements(report),
    ...exposureStatements(report),
    ...(grounds === undefined ? [] : unknownStatements(report, grounds)),
    ...sourceStatements(report),
    ...reproductionStatements(report),
  ];
}

export function textsOf(report: Report, section: Section): string[] {
  return statementsOf(report).flatMap((statement) => (statement.section === section ? [statement.text] : []));
}

function labelStatements(report: Report): Statement[] {
  const say = (finding: Finding, text: string): Statement[] => [{ section: 'labels', finding, text }];
  if (report.sandbox !== undefined) return say({ kind: 'predefined' }, 'A predefined result has no sources.');
  if (report.kind === 'txid' && report.worstAddress === undefined)
    return say({ kind: 'coverage' }, 'None: no address of the side is known.');
  if (report.labels.length > 0 || report.uncountedLabels.length > 0) return [];
  return say({ kind: 'labels' }, 'None: nobody whose data is loaded has said who this is.');
}

function exposureStatements(report: Report): Statement[] {
  if (report.exposures.length > 0) return [];
  const say = (finding: Finding, text: string): Statement[] => [{ section: 'exposures', finding, text }];
  const { grounds, coverage, kind, worstAddress } = report;
  if (grounds === undefined) return say({ kind: 'predefined' }, 'None: the predefined result has none.');
  if (kind === 'txid' && worstAddress === undefined) return say({ kind: 'coverage' }, 'None: no address of the side is known.');
  if (coverage === 'none' || coverage === 'labels') {
    return say({ kind: 'coverage' }, 'None: no transfer is known, so nobody it dealt with is known either.');
  }
  if (Object.values(grounds.sides).some(({ direct, traced }) => direct + traced > 0)) {
    return say({ kind: 'exposures' }, 'None is listed: each share is too small to be shown, and all are counted in the score.');
  }
  if (kind === 'txid') {
    return say(
      { kind: 'exposures' },
      'None: no address of the side bears a risk label that counts, and no money moved between its addresses and anyone who does, as far as it was followed. Whom a service deals with is not looked at.',
    );
  }
  if (isService(grounds.sides)) return say({ kind: 'exposures' }, 'None: whom a service deals with is not looked at.');
  return say({ kind: 'exposures' }, 'None: no money moved between it and anyone with a risk label that counts, as far as it was followed.');
}

const maxSourced = 30;

function sourceStatements(report: Report): Statement[] {
  if (report.sandbox !== undefined) return [];
  const say = (finding: Finding, text: string): Statement => ({ section: 'sources', finding, text });
  const labels = [...report.labels, ...report.uncountedLabels];
  const whose = report.kind === 'address' ? 'the subject itself' : 'the address that scored worst';
  const named = [...new Set(labels.map(({ source }) => source))];
  return [
    say({ kind: 'labels' }, named.length === 0 ? `No label of ${whose}, so no source of one.` : `Labels of ${whose}: ${named.join(', ')}.`),
    ...entitySources(report).map((text) => say({ kind: 'exposures' }, text)),
    say(
      { kind: 'subject' },
      `Entities are named by the labels in force at ${moment(report.scannedAtMs ?? report.madeAtMs)}, transfers are those loaded into this installation.`,
    ),
  ];
}

/** The sources of the listed entities. */
function entitySources({ exposures }: Report): string[] {
  const said = [...new Set(exposures.flatMap(({ entity, sources: by = [] }) => (by.length === 0 ? [] : [`${entity}: ${by.join(', ')}.`])))];
  if (said.length === 0) return [];
  const more = said.length > maxSourced ? ` And ${count(said.length - maxSourced)} more.` : '';
  return [`Who says what the entities are. ${said.slice(0, maxSourced).join(' ')}${more}`];
}
