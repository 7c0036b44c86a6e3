import { createHash } from 'node:crypto';
import type { CaseReport } from '@weir/risk-report';
import { csv } from '@weir/service-kit';
import { zipSync } from 'fflate';

interface AttachedFile {
  readonly name: string;
  readonly sha256: string;
  readonly content: Uint8Array;
}

/** The files of a case and `manifest.json` with their SHA-256, as a ZIP. The same case and PDF give the same bytes. */
export function archiveCase(report: CaseReport, pdf: Uint8Array, attachments: readonly AttachedFile[] = []): Uint8Array<ArrayBuffer> {
  const { screening, review, made_at } = report;
  const exposures = screening.result?.risk_detail ?? [];
  const text = (content: string): Uint8Array => new TextEncoder().encode(content);
  const files: Record<string, Uint8Array> = {
    'report.pdf': pdf,
    'case.json': text(`${JSON.stringify(report, undefined, 2)}\n`),
    'exposures.csv': text(
      csv(
        exposureColumns,
        exposures.map((each, n) => ({ exposure: n + 1, ...each })),
      ),
    ),
    'paths.csv': text(
      csv(
        pathColumns,
        exposures.flatMap(({ path = [] }, n) => path.map((hop, at) => ({ exposure: n + 1, transfer: at + 1, ...hop }))),
      ),
    ),
    'decisions.csv': text(csv(decisionColumns, screening.decisions)),
    'resolutions.csv': text(
      csv(
        resolutionColumns,
        review.resolutions.map((each) => ({ ...each, resolved_by: each.resolved_by.name, answered_by: each.answered_by?.name ?? null })),
      ),
    ),
    'notes.csv': text(
      csv(
        noteColumns,
        review.notes.map((each) => ({ ...each, written_by: each.written_by.name })),
      ),
    ),
    'plan-changes.csv': text(
      csv(
        planChangeColumns,
        review.plan_changes.map((each) => ({ ...each, changed_by: each.changed_by.name })),
      ),
    ),
    ...(report.related === null ? {} : { 'holds.csv': text(csv(holdColumns, report.related.screenings)) }),
    ...Object.fromEntries(attachments.map(({ name, sha256, content }) => [`attachments/${sha256.slice(0, 8)}-${fileName(name)}`, content])),
  };
  const manifest = {
    screening_id: screening.screening_id,
    made_at,
    files: Object.entries(files).map(([name, bytes]) => ({
      name,
      bytes: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
    })),
  };
  const mtime = new Date(made_at);
  // Pictures and documents are compressed already, and compressing holds up the process.
  const stored = Object.fromEntries(
    Object.entries(files).map(([name, bytes]) => [name, name.startsWith('attachments/') ? ([bytes, { level: 0 }] as const) : bytes]),
  );
  return new Uint8Array(zipSync({ 'manifest.json': text(`${JSON.stringify(manifest, undefined, 2)}\n`), ...stored }, { mtime }));
}

const exposureColumns = ['exposure', 'entity', 'risk_type', 'exposure_type', 'side', 'counterparty', 'hop_num', 'volume', 'percent'];
/** `exposure` is the number in `exposures.csv`. */
const pathColumns = ['exposure', 'transfer', 'time', 'txid', 'coin', 'amount', 'usd', 'from', 'to'];
const decisionColumns = ['revision', 'decided_at', 'action', 'reason_codes', 'rule', 'policy_hash', 'supersedes', 'resolution_id'];
const resolutionColumns = [
  'resolution_id',
  'revision',
  'action',
  'reason',
  'state',
  'resolved_by',
  'resolved_at',
  'answered_by',
  'answer_reason',
  'answered_at',
];
const noteColumns = ['note_id', 'written_at', 'written_by', 'text'];
const planChangeColumns = ['changed_at', 'changed_by', 'field', 'value'];

/** Of the case that the screening is in. */
const holdColumns = [
  'screening_id',
  'requested_at',
  'kind',
  'action',
  'level',
  'amount',
  'coin',
  'usd_value',
  'user_id',
  'counterparty',
  'added_at',
];

/** A name may hold a path. */
function fileName(name: string): string {
  return name.replaceAll(/[^\p{L}\p{N}._-]/gu, '_').slice(-100);
}

/** RFC 4180. A spreadsheet must not run a cell as a formula. An unknown value is an empty cell. */
