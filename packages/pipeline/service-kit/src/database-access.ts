import type { CombinedRoles, DatabaseAccess } from '@weir/postgres';

export const serviceNames = [
  'deposit-ingest',
  'withdrawal-gate',
  'scoring',
  'decision',
  'audit-writer',
  'console',
  'risk-api',
  'chain-follower',
] as const;
export type DatabaseUser = (typeof serviceNames)[number];

const read = 'SELECT';
const append = 'SELECT, INSERT';
const write = 'SELECT, INSERT, UPDATE';
const full = 'SELECT, INSERT, UPDATE, DELETE';

/** Row-level security: a service writes only the runs of its own jobs, and reads all. */
const jobs = { 'weir.jobs': write };

/** For every service but the risk API: its session, and the log on PostgreSQL with its schemas. */
const pipeline = {
  'weir.migrations': read,
  'weir.sessions': full,
  'weir.recovery': read,
  'weir.group_offsets': write,
  ...jobs,
  // Acts, and settings that differ from those of the last start.
  'access.activities': append,
  'coins.added': read,
  'schemas.schemas': read,
  // FOR SHARE needs the privilege to update a column.
  'log.topics': 'SELECT, UPDATE (partitions)',
  'log.partitions': 'SELECT, UPDATE (first_offset, next_offset)',
  // Housekeeping deletes records that every group has committed.
  'log.records': 'SELECT, INSERT, DELETE',
  'log.groups': append,
  'log.members': full,
  'log.assignments': write,
};

/** Row-level security: a service writes only its own events, and reads all. */
const outbox = {
  'outbox.events': 'SELECT, INSERT, UPDATE (published, refused_at, refusal), DELETE',
  'outbox.batches': 'SELECT, INSERT, DELETE',
};
const localLists = { 'chain.labels': read };
const intake = { 'intake.transfers': append };
const callers = { 'access.tokens': read };
/** People who use the pages of the console call its operations, too. */
const shown = { ...callers, 'console.sessions': read };

/** All privileges of the services. Remove one only a release after its last use, because the previous release runs during an upgrade. */
const services: Readonly<Record<DatabaseUser, DatabaseAccess[string]>> = {
  'deposit-ingest': {
    ...pipeline,
    ...outbox,
    ...callers,
    ...intake,
    // The exchange's own addresses, and whether their chain is followed.
    'chain.followed': read,
    'chain.watched': full,
    // Deposits that the chain took back, and the latest revision of each.
    'chain.watched_deposits': 'SELECT, UPDATE (withdrawn, corrected_revision)',
    'decision.decided': read,
  },
  'withdrawal-gate': {
    ...pipeline,
    ...outbox,
    ...callers,
    ...intake,
    // Its journal may know of redemptions that the database lacks.
    'weir.recovery': 'SELECT, UPDATE (timeline)',
    'gate.keys': write,
    'gate.permits': full,
    'gate.withdrawals': write,
    ...localLists,
    // Decisions that it has not read yet.
    'decision.decided': read,
  },
  scoring: {
    ...pipeline,
    ...outbox,
    ...shown,
    'scoring.comparisons': full,
    'scoring.feeds': write,
    'scoring.lookups': full,
    'scoring.rescreens': full,
    'scoring.results': full,
    'scoring.screenings': write,
    'scoring.token_days': full,
    'budget.upstreams': write,
    ...localLists,
    // Published as `labels.changed`.
    'chain.label_changes': read,
    'scoring.published_label_changes': write,
    // Finds the sender of a deposit that is known by its txid alone.
    'chain.transfers': read,
  },
  decision: {
    ...pipeline,
    ...outbox,
    ...shown,
    'decision.decisions': append,
    'decision.policies': append,
    'decision.policy_answers': append,
    'decision.policy_changes': append,
    'decision.policy_proposals': append,
    'decision.screenings': write,
    'decision.transfers': write,
    // To verify each resolution.
    'console.stored_resolutions': read,
  },
  'audit-writer': {
    ...pipeline,
    // Housekeeping looks for its own events, of which there are none.
    'outbox.events': 'SELECT, DELETE',
    'outbox.batches': read,
    'audit.entries': append,
    'audit.leaves': append,
    'audit.nodes': append,
    'audit.tree': 'SELECT, UPDATE',
    'audit.checkpoint': write,
    'audit.anchors': write,
    ...shown,
  },
  console: {
    ...pipeline,
    ...outbox,
    ...callers,
    'access.activities': 'SELECT, INSERT, UPDATE (published)',
    // An administrator revokes tokens.
    'access.tokens': 'SELECT, UPDATE (revoked_at)',
    'audit.positions': read,
    // For the view of labels, and how fresh chains are. Only the owner of the database stores labels.
    'chain.chain_data': read,
    'chain.cluster_labels': read,
    'chain.cluster_members': read,
    'chain.clusters': read,
    'chain.followed': read,
    'chain.import_runs': read,
    'chain.label_changes': read,
    'chain.label_lists': read,
    'chain.label_requests': 'SELECT, INSERT, UPDATE (is_approved, answered_by, answered_by_name, answered_at, settled_at, traceparent)',
    'chain.labels': read,
    'console.attachments': append,
    'console.begun_groups': append,
    'console.case_attachments': append,
    'console.case_notes': append,
    'console.case_screenings': write,
    'console.cases': write,
    'console.deliveries': full,
    'console.notes': append,
    'console.resolutions': write,
    'console.reviews': write,
    'console.rollups': write,
    'console.saved_views': full,
    'console.screenings': write,
    'console.sessions': full,
    'console.sign_in_links': 'SELECT, INSERT, DELETE',
    'console.webhooks_gone': 'SELECT, INSERT, DELETE',
  },
  'chain-follower': {
    ...pipeline,
    ...outbox,
    ...callers,
    // A batch is sorted in temporary tables.
    database: 'TEMPORARY',
    // It stores transfers, and no label.
    'chain.address_stats': full,
    'chain.blocks': full,
    'chain.chain_data': write,
    // Who signed together, with the labels that count for all of them.
    'chain.cluster_ids': 'USAGE',
    'chain.cluster_labels': full,
    'chain.cluster_members': write,
    'chain.clusters': write,
    'chain.coin_joins': append,
    'chain.edges': full,
    'chain.followed': write,
    'chain.labels': read,
    'chain.prices': full,
    'chain.sides': full,
    'chain.transfers': full,
    'chain.watched': read,
    'chain.watched_deposits': write,
    'chain.watched_payments': 'SELECT, INSERT, DELETE',
    'gate.redeemed_terms': read,
    // So that scores which read them are computed again.
    'risk.changed_places': write,
    'risk.changed_places_id': 'USAGE',
    'risk.label_state': 'SELECT, UPDATE',
    'risk.reached': read,
  },
  'risk-api': {
    'weir.migrations': read,
    ...jobs,
    'coins.added': read,
    // Only the owner of the database stores labels and transfers.
    'chain.address_stats': read,
    'chain.chain_data': read,
    'chain.cluster_labels': read,
    'chain.cluster_members': read,
    'chain.clusters': read,
    'chain.coin_joins': read,
    'chain.draw_key': read,
    'chain.edges': read,
    'chain.followed': read,
    'chain.import_runs': read,
    'chain.label_lists': read,
    'chain.labels': read,
    'chain.prices': read,
    'chain.sides': read,
    'chain.transfers': read,
    'risk.api_keys': read,
    'risk.changed_places': full,
    'risk.changed_subjects': full,
    'risk.key_hits': full,
    'risk.key_usage': write,
    'risk.label_changes': full,
    'risk.label_state': write,
    'risk.payments': full,
    'risk.reached': full,
    'risk.report_keys': 'SELECT, INSERT, DELETE',
    'risk.runs': full,
    'risk.tasks': full,
    'risk.watches': full,
  },
};

/** The PostgreSQL role of a service. The policies of `outbox.events` derive it from the service. */
export function roleOf(service: DatabaseUser): string {
  return `weir_${service.replaceAll('-', '_')}`;
}

export const databaseAccess: DatabaseAccess = Object.fromEntries(
  Object.entries(services).map(([service, relations]) => [roleOf(service as DatabaseUser), relations]),
);

/** The role of a process that runs every service of the pipeline, but not the two that hold the risk base. */
export const pipelineRole = 'weir_pipeline';

/** `weir start` alone needs it: other processes have the role of their service. */
export const combinedRoles: CombinedRoles = {
  [pipelineRole]: serviceNames.filter((service) => service !== 'risk-api' && service !== 'chain-follower').map(roleOf),
};
