import type { LabelChange, LabelList, LabelRequest, LabelSource, readChainAges } from '@weir/chain-store';
import { type Chain, displayAddress } from '@weir/chains';
import type { Described } from '@weir/service-kit';
import { z } from 'zod';

type ChainAges = Awaited<ReturnType<typeof readChainAges>>[number];

const time = z.iso.datetime();
const count = z.int().min(0);
const person = z.string().describe('Name of the person.');

/** Who an address is, as one source says. */
export const labelView = z
  .strictObject({
    chain: z.string(),
    address: z.string(),
    name: z.string(),
    category: z.string(),
    source: z.string(),
    source_kind: z.string().describe('authority, owner, curated or crawl.'),
    confidence: z.number().min(0).max(1),
    valid_from: time.nullable(),
    valid_to: time.nullable().describe('From then on it does not hold.'),
  })
  .meta({ id: 'Label' });
export type LabelView = Described<typeof labelView>;

const sourceView = z
  .strictObject({
    source: z.string(),
    source_kind: z.string(),
    labels: count,
    in_force: count.describe('Those that hold now.'),
    imported_at: time.nullable().describe('The latest import that gave one of them.'),
  })
  .meta({ id: 'LabelSource' });

const listView = z
  .strictObject({
    name: z.string(),
    labels: count,
    checked_at: time.nullable().describe('The last successful check.'),
    changed_at: time.nullable(),
    next_at: time,
    failures: count.describe('Since the last success.'),
    error: z.string().nullable(),
  })
  .meta({ id: 'LabelList' });

const claim = z.strictObject({ categories: z.array(z.string()), sources: z.array(z.string()) });
const conflictView = z
  .strictObject({
    chain: z.string(),
    address: z.string(),
    standing: z.enum(['service', 'accusation']).describe('The claim that counts.'),
    service: claim,
    accusation: claim,
  })
  .meta({ id: 'LabelConflict' });

export const labelSourcesView = z
  .strictObject({
    sources: z.array(sourceView),
    lists: z.array(listView).describe('Published lists that are kept fresh.'),
    conflicts: z.array(conflictView).describe('Addresses whose labels contradict each other.'),
    read_at: time.describe('All labels are read once a minute at most.'),
  })
  .meta({ id: 'LabelSources' });
export type LabelSourcesView = Described<typeof labelSourcesView>;

export const labelChangeView = z
  .strictObject({
    change_id: z.int().min(1),
    action: z.enum(['import', 'snapshot', 'end', 'withdraw']).describe('snapshot: labels that an import no longer had have ended.'),
    labels: count,
    source: z.string().nullable(),
    addresses: z.array(z.string()),
    category: z.string().nullable(),
    import: z.string().nullable().describe('Name of the import.'),
    person: z.string().nullable(),
    reason: z.string().nullable(),
    changed_at: time,
  })
  .meta({ id: 'LabelChange' });
export type LabelChangeView = Described<typeof labelChangeView>;

const requestStates = ['waiting', 'approved', 'rejected', 'applied', 'failed'] as const;
export const labelRequestView = z
  .strictObject({
    request_id: z.guid(),
    action: z.enum(['add', 'end', 'withdraw']),
    state: z.enum(requestStates).describe('approved: the process that may store labels has not applied it yet.'),
    chain: z.string().nullable(),
    address: z.string().nullable(),
    name: z.string().nullable(),
    category: z.string().nullable(),
    source: z.string().nullable(),
    ended_at: time.nullable(),
    reason: z.string(),
    requested_by: person,
    requested_at: time,
    answered_by: person.nullable(),
    answered_at: time.nullable(),
    settled_at: time.nullable(),
    labels: count.nullable().describe('How many changed.'),
    failure: z.string().nullable(),
  })
  .meta({ id: 'LabelRequest' });
export type LabelRequestView = Described<typeof labelRequestView>;

const iso = (at: Date | null): string | null => at?.toISOString() ?? null;

export function sourceOf({ source, source_kind, labels, in_force, imported_at }: LabelSource): LabelSourcesView['sources'][number] {
  return { source, source_kind, labels, in_force, imported_at: iso(imported_at) };
}

export function listOf({ name, labels, checked_at, changed_at, next_at, failures, error }: LabelList): LabelSourcesView['lists'][number] {
  return { name, labels, checked_at: iso(checked_at), changed_at: iso(changed_at), next_at: next_at.toISOString(), failures, error };
}

export function changeOf({ id, action, scope, labels, person: by, reason, at }: LabelChange): LabelChangeView {
  const { source = null, addresses = [], category = null, name = null } = scope;
  return { change_id: id, action, labels, source, addresses, category, import: name, person: by, reason, changed_at: at.toISOString() };
}

export function requestOf(row: LabelRequest): LabelRequestView {
  const { request_id, action, scope, reason, requested_by_name, requested_at, answered_by_name, answered_at, settled_at, labels, failure } =
    row;
  const { chain = null, address = null, name = null, category = null, source = null, at = null } = scope;
  return {
    request_id,
    action,
    state: stateOf(row),
    chain,
    address: address !== null && chain !== null ? displayAddress(chain as Chain, address) : address,
    name,
    category,
    source,
    ended_at: at,
    reason,
    requested_by: requested_by_name,
    requested_at: requested_at.toISOString(),
    answered_by: answered_by_name,
    answered_at: iso(answered_at),
    settled_at: iso(settled_at),
    labels,
    failure,
  };
}

function stateOf({ is_approved, settled_at, failure }: LabelRequest): LabelRequestView['state'] {
  if (is_approved === null) return 'waiting';
  if (!is_approved) return 'rejected';
  if (settled_at === null) return 'approved';
  return failure === null ? 'applied' : 'failed';
}

const seconds = z.number().min(0).nullable();
export const chainFreshnessView = z
  .strictObject({
    chain: z.string(),
    labels: count,
    labels_age_seconds: seconds.describe('Since the last import of labels; null: it has none.'),
    transfers: count,
    transfers_age_seconds: seconds.describe('Since the newest transfer; null: it has none.'),
    lag: z
      .strictObject({
        blocks: count.nullable().describe('That the nodes have and the store has not; null: before the first.'),
        age_seconds: seconds.describe('Of the last stored block; null: before the first.'),
      })
      .nullable()
      .describe('null: the chain is not followed.'),
  })
  .meta({ id: 'ChainFreshness' });
export type ChainFreshnessView = Described<typeof chainFreshnessView>;

export function freshnessOf({ chain, labels, labelsAgeMs, transfers, transfersAgeMs, lag }: ChainAges): ChainFreshnessView {
  const secondsOf = (ms: number | null): number | null => (ms === null ? null : Math.max(Math.round(ms / 1_000), 0));
  return {
    chain,
    labels,
    labels_age_seconds: secondsOf(labelsAgeMs),
    transfers,
    transfers_age_seconds: secondsOf(transfersAgeMs),
    lag: lag && { blocks: lag.blocks, age_seconds: secondsOf(lag.ageMs) },
  };
}
