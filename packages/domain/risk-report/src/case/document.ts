import type { Content, PdfDocument } from '../pdf/pdfmake.ts';
import { printable, printableAll } from '../pdf/printable.ts';
import { body, bullets, contentWidth, heading, ink, muted, note, rule, sideMargin, styles, tableOf, wrapping } from '../pdf/style.ts';
import { contributionWords, tenths } from '../words/contributions.ts';
import { riskTypeWords } from '../words/findings.ts';
import { count, decimal, moment, percent, usd } from '../words/numbers.ts';
import type { CaseReport } from './case.ts';
import { paths, sides } from './paths.ts';

/** The pages of a case, for pdfmake. Each statement is a stored field. */
export function caseDocumentOf(raw: CaseReport): PdfDocument {
  const report = printableCase(raw);
  const maker = `Weir ${report.version}`;
  const made = new Date(raw.made_at);
  return {
    pageSize: 'A4',
    pageMargins: [sideMargin, 44, sideMargin, 52],
    info: {
      title: `Screening report: ${report.screening.screening_id}`,
      author: maker,
      creator: maker,
      producer: maker,
      creationDate: made,
      modDate: made,
    },
    language: 'en-GB',
    displayTitle: true,
    defaultStyle: { font: 'Roboto', fontSize: 9, color: ink },
    styles,
    content: [
      ...head(report),
      ...transfer(report),
      ...result(report),
      ...grounds(report),
      ...exposures(report),
      ...paths(report),
      ...decisions(report),
      ...people(report),
      ...related(report),
      ...end(report),
    ],
    footer: (page, pages) => footer(report, page, pages),
    pageBreakBefore: (node, { getFollowingNodesOnPage }) => node.headlineLevel === 1 && getFollowingNodesOnPage().length === 0,
  };
}

/** People's texts are printed whole, so they are made printable in pieces. */
function printableCase(raw: CaseReport): CaseReport {
  const whole = (text: string): string =>
    (text.match(/.{1,100}/gsu) ?? []).map((piece) => printable(piece.replaceAll(/\s/g, ' '))).join('');
  const { review, related: found } = raw;
  return {
    ...printableAll(raw),
    related:
      found === null
        ? null
        : {
            ...printableAll(found),
            outcome_reason: found.outcome_reason === null ? null : whole(found.outcome_reason),
            notes: found.notes.map((one) => ({ ...printableAll(one), text: whole(one.text) })),
          },
    review: {
      ...printableAll(review),
      resolutions: review.resolutions.map((one) => ({
        ...printableAll(one),
        reason: whole(one.reason),
        answer_reason: one.answer_reason === null ? null : whole(one.answer_reason),
      })),
      notes: review.notes.map((one) => ({ ...printableAll(one), text: whole(one.text) })),
    },
  };
}

function head({ screening, review, related: found, version, made_at }: CaseReport): Content[] {
  const latest = screening.decisions.at(-1);
  return [
    {
      columns: [
        { text: 'Screening report', style: 'title' },
        { text: `Weir ${version}`, alignment: 'right', color: muted, fontSize: 9, margin: [0, 8, 0, 0] },
      ],
    },
    facts([
      ['Screening', screening.screening_id],
      ['Case', found?.case_id ?? 'none'],
      ['Transfer', `${screening.kind}, ${screening.status}`],
      ['Decision', latest === undefined ? 'none yet' : `${latest.action} (revision ${latest.revision}), ${at(latest.decided_at)}`],
      ['Reasons', latest === undefined ? 'none yet' : listed(latest.reason_codes)],
      ['Rule', latest?.rule ?? 'none'],
      ['Policy', latest?.policy_hash ?? 'none yet'],
      ['Review', review.state.replaceAll('_', ' ')],
      ['Assigned to', review.assignee ?? 'nobody'],
      ['Due', review.due_at === null ? 'no time is set' : at(review.due_at)],
      ['Requested', at(screening.requested_at)],
      ['Deadline', screening.deadline_at === null ? 'unknown' : at(screening.deadline_at)],
      ['Report made', at(made_at)],
    ]),
  ];
}

/** In this order; a field that the transfer does not have is left out. */
const transferWords = {
  deposit_id: 'Deposit',
  withdrawal_id: 'Withdrawal',
  user_id: 'Customer',
  chain: 'Chain',
  coin: 'Coin',
  amount: 'Amount',
  usd_value: 'Declared USD',
  txid: 'Transaction',
  from_address: 'From',
  to_address: 'To',
  memo: 'Memo',
  detected_at: 'Detected',
  requested_at: 'Requested',
} as const;

function transfer({ screening }: CaseReport): Content[] {
  const lines = Object.entries(transferWords).flatMap(([name, title]): [string, string][] => {
    const value = screening.transfer[name];
    return value === undefined ? [] : [[title, transferValue(name, value)]];
  });
  return [heading('Transfer'), facts(lines)];
}

function transferValue(name: string, value: string | null): string {
  if (value === null) return 'unknown';
  if (name.endsWith('_at')) return at(value);
  return name === 'amount' || name === 'usd_value' ? decimal(value) : value;
}

function result({ screening }: CaseReport): Content[] {
  const { result: found, subject, subject_type: type } = screening;
  if (found === null) return [heading('Result'), body('There is no result yet.')];
  return [
    heading('Result'),
    facts([
      ['Scored', subject === null ? 'unknown' : `${subject} (${type ?? 'unknown'})`],
      ['Outcome', found.outcome],
      ['Level, score', found.risk_level === undefined ? 'none' : `${found.risk_level}, ${found.score ?? 'unknown'} of 100`],
      ['Reasons', listed(found.reasons)],
      ['Descriptions', listed(found.detail_list)],
      ['Label', found.address_label === '' ? 'none' : found.address_label],
      ['Incident', found.hacking_event === '' ? 'none' : found.hacking_event],
      ['Answer read', found.scored_at === undefined ? 'unknown' : at(found.scored_at)],
      ['Scanned', found.scanned_ts === null ? 'unknown' : moment(found.scanned_ts * 1_000)],
      ['Provider', found.provider],
      ['Evidence', found.evidence_sha256 === null ? 'none' : `SHA-256 ${found.evidence_sha256}`],
    ]),
  ];
}

function grounds({ screening: { result: found } }: CaseReport): Content[] {
  if (found?.grounds === undefined) return [];
  const { contributions, counterfactuals } = found.grounds;
  const points = tenths(contributions.map((each) => each.points));
  return [
    heading('What the score is made of'),
    tableOf(
      [
        { title: 'Points', width: 42, right: true },
        { title: 'For', width: '*' },
      ],
      contributions.map(({ key }, n) => [(points[n] ?? 0).toFixed(1), contributionWords(key)]),
    ),
    counterfactuals.length === 0
      ? body('No finding alone decides the level.')
      : bullets(
          counterfactuals.map(
            ({ without, score, risk_level: level }) =>
              `Without ${contributionWords(without)} the level would be ${level} (score ${score}).`,
          ),
        ),
  ];
}

function exposures({ screening }: CaseReport): Content[] {
  const found = screening.result?.risk_detail ?? [];
  if (found.length === 0) return [heading('Exposures'), body('The result names none.')];
  return [
    heading('Exposures'),
    tableOf(
      [
        { title: 'No.', width: 20, right: true },
        { title: 'Entity', width: '*' },
        { title: 'Type', width: 84 },
        { title: 'Exposure', width: 40 },
        { title: 'Side', width: 40 },
        { title: 'Hops', width: 24, right: true },
        { title: 'USD', width: 66, right: true },
        { title: 'Share', width: 44, right: true },
      ],
      found.map(({ entity, sources, risk_type, exposure_type, side, hop_num, volume, percent: share }, n) => [
        String(n + 1),
        sources === undefined || sources.length === 0 ? entity : `${entity}\n(labelled by ${sources.join(', ')})`,
        (riskTypeWords as Readonly<Record<string, string>>)[risk_type] ?? risk_type,
        exposure_type,
        side == null ? 'unknown' : sides[side],
        String(hop_num),
        volume === null ? 'unknown' : usd(volume),
        share === null ? 'unknown' : percent(share),
      ]),
    ),
  ];
}

function decisions({ screening }: CaseReport): Content[] {
  if (screening.decisions.length === 0) return [heading('Decisions'), body('There is no decision yet.')];
  return [
    heading('Decisions'),
    tableOf(
      [
        { title: 'Revision', width: 40, right: true },
        { title: 'Time (UTC)', width: 80 },
        { title: 'Action', width: 36 },
        { title: 'Reasons', width: '*' },
        { title: 'Rule', width: 70 },
        { title: 'Made by', width: 100 },
      ],
      screening.decisions.map((each) => [
        String(each.revision),
        at(each.decided_at).replace(' UTC', ''),
        each.action,
        listed(each.reason_codes),
        each.rule ?? 'none',
        each.resolution_id === null ? `policy ${each.policy_hash.slice(0, 12)}` : `people, resolution ${each.resolution_id.slice(0, 8)}`,
      ]),
    ),
  ];
}

function people({ review }: CaseReport): Content[] {
  const resolutions = review.resolutions.map(
    ({ resolved_at, resolved_by, action, revision, reason, state, answered_by, answered_at, answer_reason }) => {
      const second =
        answered_by === null || answered_at === null
          ? ''
          : ` ${named(answered_by)} answered at ${at(answered_at)}${answer_reason === null ? '' : `: “${answer_reason}”`}.`;
      return `${at(resolved_at)}: ${named(resolved_by)} resolved revision ${revision} with ${action}: “${reason}” State: ${state.replaceAll('_', ' ')}.${second}`;
    },
  );
  const notes = review.notes.map(({ written_at, written_by, text }) => `${at(written_at)}, ${named(written_by)}: “${text}”`);
  const changes = review.plan_changes.map(
    ({ changed_at, changed_by, ...change }) => `${at(changed_at)}: ${named(changed_by)} ${planned(change)}.`,
  );
  return [
    heading('Reviewers'),
    resolutions.length === 0 ? body('Nobody has resolved it.') : bullets(resolutions),
    ...(changes.length === 0 ? [] : [bullets(changes)]),
    heading('Notes'),
    notes.length === 0 ? body('There are none.') : bullets(notes),
    ...(review.attachments.length === 0 ? [] : [heading('Attachments'), bullets(filesOf(review))]),
  ];
}

function filesOf({ attachments }: Pick<CaseReport['review'], 'attachments'>): string[] {
  return attachments.map(
    ({ name, type, bytes, sha256, attached_by, attached_at }) =>
      `${at(attached_at)}, ${named(attached_by)}: ${name} (${type}, ${bytes} bytes, SHA-256 ${sha256})`,
  );
}

function planned({ field, value }: Pick<CaseReport['review']['plan_changes'][number], 'field' | 'value'>): string {
  if (field === 'assignee') return `assigned it to ${value ?? 'nobody'}`;
  return value === null ? 'removed its due time' : `set it due at ${at(value)}`;
}

/** Three pages; the case file has all. */
const maxHolds = 40;

function related({ related: found }: CaseReport): Content[] {
  if (found === null) return [heading('Related holds'), body('It is in no case.')];
  const { outcome, outcome_by: by, outcome_at: decidedAt, outcome_reason: reason } = found;
  const unknown = found.unknown_usd === 0 ? '' : `, and ${found.unknown_usd} of unknown value`;
  const notes = found.notes.map(({ written_at, written_by, text }) => `${at(written_at)}, ${named(written_by)}: “${text}”`);
  const files = filesOf(found);
  return [
    heading('Related holds'),
    facts([
      ['Case', found.case_id],
      ['Shares', listed(found.keys)],
      ['Holds', `${found.holds}, declared USD ${found.usd === null ? 'unknown' : decimal(found.usd)}${found.usd === null ? '' : unknown}`],
      ['Assigned to', found.assignee ?? 'nobody'],
      ['Due', found.due_at === null ? 'no time is set' : at(found.due_at)],
      ['Escalated', found.escalated_at === null ? 'no' : at(found.escalated_at)],
      [
        'Outcome',
        outcome === null || by === null || decidedAt === null
          ? 'none yet'
          : `${outcome.replace('_', ' ')}, ${at(decidedAt)}, ${named(by)}: “${reason ?? ''}”`,
      ],
    ]),
    holdsTable(found.screenings),
    ...(found.screenings.length > maxHolds ? [note(`The case file has ${count(found.screenings.length - maxHolds)} more.`)] : []),
    ...(notes.length === 0 ? [] : [bullets(notes)]),
    ...(files.length === 0 ? [] : [bullets(files)]),
  ];
}

function holdsTable(holds: NonNullable<CaseReport['related']>['screenings']): Content {
  return tableOf(
    [
      { title: 'Time (UTC)', width: 48 },
      { title: 'Screening, counterparty', width: '*' },
      { title: 'Level', width: 42 },
      { title: 'Action', width: 32 },
      { title: 'Amount', width: 64, right: true },
      { title: 'USD', width: 56, right: true },
    ],
    holds.slice(0, maxHolds).map(({ screening_id, counterparty, kind, level, action, amount, coin, usd_value, requested_at }) => [
      at(requested_at).replace(' UTC', '').replace(' ', '\n'),
      {
        ...wrapping(`${screening_id}, ${kind}\n${kind === 'deposit' ? 'from' : 'to'} ${counterparty ?? 'unknown'}`),
        style: 'cell',
        fontSize: 7,
      },
      level ?? 'none',
      action ?? 'none yet',
      `${decimal(amount)} ${coin}`,
      usd_value === null ? 'unknown' : decimal(usd_value),
    ]),
  );
}

function end({ screening }: CaseReport): Content[] {
  return [
    heading('About this report'),
    body(
      `It states what is stored of screening ${screening.screening_id}, and is no legal advice. “Unknown” is not zero, and Low means that nothing is known against the subject.`,
    ),
    note(
      'Characters that this document’s font lacks stand as their Unicode numbers, such as [U+4E2D], and long names are cut with an ellipsis.',
    ),
  ];
}

function facts(lines: readonly (readonly [string, string])[]): Content {
  return {
    table: {
      widths: [84, '*'],
      body: lines.map(([name, value]) => [{ text: name, color: muted, fontSize: 9 }, wrapping(value, { fontSize: 9 }, 80)]),
    },
    layout: { hLineWidth: () => 0, vLineWidth: () => 0, paddingTop: () => 1.5, paddingBottom: () => 1.5, paddingLeft: () => 0 },
    margin: [0, 4, 0, 4],
  };
}

function footer({ screening, made_at }: CaseReport, page: number, pages: number): Content {
  return [
    { canvas: [{ type: 'line', x1: sideMargin, y1: 0, x2: sideMargin + contentWidth, y2: 0, lineWidth: 0.5, lineColor: rule }] },
    {
      columns: [
        { text: `Screening report: ${screening.screening_id}, made ${at(made_at)}`, width: '*' },
        { text: `Page ${page} of ${pages}`, width: 80, alignment: 'right' },
      ],
      fontSize: 7.5,
      color: muted,
      margin: [sideMargin, 6, sideMargin, 0],
    },
  ];
}

function at(time: string): string {
  return moment(Date.parse(time));
}

function listed(texts: readonly string[]): string {
  return texts.length === 0 ? 'none' : texts.join(', ');
}

function named({ name, id }: { name: string; id: string }): string {
  return `${name} (${id})`;
}
