import { plain } from '../output.ts';

/** Longest text of others that an answer repeats, in characters. */
const maxText = 1_000;

/**
 * Fields whose text Weir itself makes: ids, enumerations, times, names of its policy. Every other text came from callers, customers, chains,
 * the risk API or people.
 */
const ownFields: ReadonlySet<string> = new Set([
  'action',
  'actions',
  'by',
  'deadline_at',
  'decided_at',
  'direction',
  'due_at',
  'event_id',
  'evidence_sha256',
  'explanation',
  'exposure_type',
  'first_requested_at',
  'held_since',
  'kind',
  'last_requested_at',
  'level',
  'meaning',
  'note_id',
  'outcome',
  'policy_hash',
  'reason_codes',
  'code',
  'requested_at',
  'resolution_id',
  'resolved_at',
  'answered_at',
  'risk_level',
  'role',
  'rule',
  'says',
  'scanned_at',
  'scored_at',
  'screening_id',
  'side',
  'state',
  'status',
  'subject_type',
  'usd',
  'written_at',
]);

/** A copy in which each text of others is `{"untrusted": text}`, without control characters and bounded. */
export function markUntrusted(value: unknown, field = ''): unknown {
  if (typeof value === 'string') return ownFields.has(field) ? value : { untrusted: plain(value).slice(0, maxText) };
  if (Array.isArray(value)) return value.map((item) => markUntrusted(item, field));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, markUntrusted(item, name)]));
}
