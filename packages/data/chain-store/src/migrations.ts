import type { Migration } from '@weir/postgres';
import { labelRequests } from './corrections/label-requests.ts';
import { caughtUpChains, followedChains } from './follow/followed-chains.ts';
import { readFunctions } from './queries/read-functions.ts';
import { watchedTables, withdrawnDeposits } from './watch/watched.ts';
import { labelLists } from './lists/label-lists.ts';

export const chainStoreModule = 'chain-store';

/**
 * Labels and transfers. All rows of an address lie under (chain, address), so that a store can be sharded by its hash. Each pair is stored
 * twice, once for each address; a transfer lies with its sender and its receiver. Collation "C" is the same on every server, and the
 * cheapest.
 */
const chain = `
  CREATE SCHEMA chain;
  CREATE TABLE chain.labels (
    chain text COLLATE "C" NOT NULL, address text COLLATE "C" NOT NULL, name text COLLATE "C" NOT NULL, category text COLLATE "C" NOT NULL,
    source text COLLATE "C" NOT NULL, valid_from timestamptz, valid_to timestamptz, confidence double precision NOT NULL,
    UNIQUE NULLS NOT DISTINCT (chain, address, source, category, name, valid_from));
  -- Identity of a transfer: chain, txid, position, coin and addresses; of an edge: chain, address, side and peer. Unique keys would take half of
  -- the table and slow imports. Instead the import holds a lock, finds the row by a short index and compares it whole.
  CREATE TABLE chain.transfers (
    chain text COLLATE "C" NOT NULL, txid text COLLATE "C" NOT NULL, position integer NOT NULL, from_address text COLLATE "C" NOT NULL,
    to_address text COLLATE "C" NOT NULL, coin text COLLATE "C" NOT NULL, amount numeric, usd numeric, at timestamptz NOT NULL,
    source text COLLATE "C" NOT NULL,
    -- Whether the sums below count it. They leave out tokens of unknown value outside the table of coins: anybody can create one with forged senders.
    dealing boolean NOT NULL DEFAULT true);
  CREATE INDEX transfers_txid ON chain.transfers (hashtextextended(txid, 0));
  -- Sums of transfers, kept by the importing transaction. Without mints and burns, and without transfers of an address to itself.
  CREATE TABLE chain.edges (
    chain text COLLATE "C" NOT NULL, address text COLLATE "C" NOT NULL,
    side smallint NOT NULL CHECK (side IN (0, 1)), -- 0: address received from peer; 1: it sent to peer
    peer text COLLATE "C" NOT NULL, peer_labelled boolean NOT NULL, -- whether chain.labels has any label of peer, past or present
    transfers bigint NOT NULL, unknown_transfers bigint NOT NULL, usd numeric NOT NULL);
  -- The sums of one side's edges, so that a hub's total is one row.
  CREATE TABLE chain.sides (
    chain text COLLATE "C" NOT NULL, address text COLLATE "C" NOT NULL, side smallint NOT NULL CHECK (side IN (0, 1)),
    peers bigint NOT NULL, transfers bigint NOT NULL, unknown_transfers bigint NOT NULL, usd numeric NOT NULL,
    PRIMARY KEY (address, chain, side)) WITH (fillfactor = 80);
  -- Sums of all transfers of an address by coin, also mints, burns, transfers to itself and worthless tokens.
  CREATE TABLE chain.address_stats (
    chain text COLLATE "C" NOT NULL, address text COLLATE "C" NOT NULL, coin text COLLATE "C" NOT NULL,
    received_transfers bigint NOT NULL, spent_transfers bigint NOT NULL,
    received_amount numeric NOT NULL, spent_amount numeric NOT NULL, -- in coins; transfers of unknown amount add nothing
    received_usd numeric NOT NULL, spent_usd numeric NOT NULL, received_unknown bigint NOT NULL, spent_unknown bigint NOT NULL,
    first_at timestamptz NOT NULL, last_at timestamptz NOT NULL,
    PRIMARY KEY (address, chain, coin)) WITH (fillfactor = 80);
  -- Same order as the two below, so that writes stay local in each. The beginning of an address is nearly unique.
  CREATE INDEX edges_peer ON chain.edges (left(address, 12), hashtextextended(peer, 0));
  -- Covers a score's reads of edges, in reading order: a hub of a million edges of equal volume needs no sort and no heap access.
  CREATE INDEX edges_labelled ON chain.edges (address, chain, side, usd DESC, transfers DESC, peer) INCLUDE (unknown_transfers) WHERE peer_labelled;
  CREATE INDEX edges_others ON chain.edges (address, chain, side, usd DESC, transfers DESC, peer) INCLUDE (unknown_transfers) WHERE NOT peer_labelled;
  -- Without the txid, half of the size: the few transfers of one timestamp are sorted.
  CREATE INDEX transfers_from ON chain.transfers (from_address, chain, coin, at DESC);
  CREATE INDEX transfers_to ON chain.transfers (to_address, chain, coin, at DESC);
  -- Progress of one import of one source. A record is a line, an element or a log, counted from 1.
  CREATE TABLE chain.import_runs (
    key text PRIMARY KEY, kind text NOT NULL CHECK (kind IN ('labels', 'transfers')), name text NOT NULL,
    records bigint NOT NULL, inserted bigint NOT NULL, unchanged bigint NOT NULL, rejected bigint NOT NULL,
    started_at timestamptz NOT NULL, updated_at timestamptz NOT NULL, finished_at timestamptz,
    chains text[] NOT NULL DEFAULT '{}'); -- of its rows
  -- Size and age of each chain's data. The importing transaction keeps it: counting millions of rows takes minutes.
  CREATE TABLE chain.chain_data (
    chain text COLLATE "C" PRIMARY KEY,
    labels bigint NOT NULL DEFAULT 0,
    labels_imported_at timestamptz, -- the last import of labels, new or known
    transfers bigint NOT NULL DEFAULT 0,
    newest_transfer_at timestamptz);
  -- Prices of a coin, from the day's (UTC) transfers with known amount and value.
  CREATE TABLE chain.prices (
    coin text COLLATE "C" NOT NULL, day date NOT NULL,
    -- Price by transfer, at most 25: those with the first keys. The median is the price.
    quotes jsonb NOT NULL DEFAULT '{}',
    PRIMARY KEY (coin, day));
`;

const mergedUsd = `ALTER TABLE chain.import_runs ADD COLUMN merged_usd numeric NOT NULL DEFAULT 0 -- see ImportRun`;

const sourceKinds = `
  ALTER TABLE chain.labels ADD COLUMN source_kind text COLLATE "C" NOT NULL DEFAULT 'curated', -- authority, owner, curated or crawl
    ADD COLUMN authority text COLLATE "C" -- whose listing it states; of another kind of source it ends with the authority's own`;

const internalTransfers = `
  ALTER TABLE chain.chain_data ADD COLUMN internal_transfers bigint NOT NULL DEFAULT 0 -- payments of contracts within a transaction`;

const labelCorrections = `
  ALTER TABLE chain.import_runs ADD COLUMN id bigint GENERATED BY DEFAULT AS IDENTITY UNIQUE;
  ALTER TABLE chain.labels ADD COLUMN run_ids bigint[] NOT NULL DEFAULT '{}'; -- the imports that gave it
  -- Labels that were taken back. No score and no list reads them.
  CREATE TABLE chain.withdrawn_labels (
    chain text COLLATE "C" NOT NULL, address text COLLATE "C" NOT NULL, name text COLLATE "C" NOT NULL, category text COLLATE "C" NOT NULL,
    source text COLLATE "C" NOT NULL, valid_from timestamptz, valid_to timestamptz, confidence double precision NOT NULL,
    source_kind text COLLATE "C" NOT NULL, authority text COLLATE "C", withdrawn_at timestamptz NOT NULL DEFAULT now());
  CREATE TABLE chain.label_corrections (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, action text NOT NULL CHECK (action IN ('end', 'withdraw')), scope jsonb NOT NULL,
    reason text NOT NULL, person text NOT NULL, labels bigint NOT NULL, at timestamptz NOT NULL DEFAULT now())`;

/** Addresses that signed transactions together. An address keeps the cluster in which it came; merged clusters share a root. */
const clusters = `
  CREATE SEQUENCE chain.cluster_ids;
  CREATE TABLE chain.clusters (
    id bigint PRIMARY KEY, root bigint NOT NULL,
    addresses bigint NOT NULL); -- of a root: those of all clusters that point to it
  CREATE INDEX clusters_root ON chain.clusters (root);
  CREATE TABLE chain.cluster_members (
    chain text COLLATE "C" NOT NULL, address text COLLATE "C" NOT NULL, cluster bigint NOT NULL,
    txid text COLLATE "C" NOT NULL, -- one of the transactions that it signed with others, as evidence
    PRIMARY KEY (address, chain));
  CREATE INDEX cluster_members_cluster ON chain.cluster_members (cluster);
  -- Members with labels that count for the others, so that nobody reads a cluster whole.
  CREATE TABLE chain.cluster_labels (
    cluster bigint NOT NULL, category text COLLATE "C" NOT NULL, address text COLLATE "C" NOT NULL, chain text COLLATE "C" NOT NULL,
    PRIMARY KEY (cluster, category, address))`;

const coinJoins = `
  CREATE TABLE chain.coin_joins (
    chain text COLLATE "C" NOT NULL, txid text COLLATE "C" NOT NULL, PRIMARY KEY (txid, chain)) -- transactions that strangers sign together`;

const labelChanges = `
  -- What people and imports did to labels, in the order of commits: each writer holds the lock of imports.
  CREATE TABLE chain.label_changes (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, action text NOT NULL CHECK (action IN ('import', 'snapshot', 'end', 'withdraw')),
    scope jsonb NOT NULL, reason text, person text, labels bigint NOT NULL, at timestamptz NOT NULL DEFAULT now());
  INSERT INTO chain.label_changes (action, scope, reason, person, labels, at)
    SELECT action, scope, reason, person, labels, at FROM chain.label_corrections ORDER BY id;
  -- Labels that a snapshot no longer had, and ended.
  ALTER TABLE chain.import_runs ADD COLUMN ended bigint NOT NULL DEFAULT 0`;

const traces = `
  -- Of the request that led to it, while tracing is on.
  ALTER TABLE chain.label_requests ADD COLUMN traceparent text;
  ALTER TABLE chain.label_changes ADD COLUMN traceparent text`;

/** Rows from before the kinds. Copies have names of their own. */
const authoritiesOfOldRows = `
  UPDATE chain.labels SET source_kind = 'authority', authority = 'OFAC' WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM chain.labels
    WHERE source_kind = 'curated' AND authority IS NULL AND category = 'sanctioned' AND (source = 'OFAC SDN' OR source ~ '^OFAC SDN [0-9]+$')
    LIMIT 10000))`;

const stagedBatches = `
  -- Batches of a first load. Their rows wait in chain.staged_transfers_<run id> until the load ends.
  CREATE TABLE chain.staged_batches (
    run_id bigint NOT NULL, before bigint NOT NULL, rows bigint NOT NULL, through bigint NOT NULL, rejected bigint NOT NULL, chains text[] NOT NULL,
    PRIMARY KEY (run_id, before))`;

const drawKey = `
  -- Scores draw the small payers that they follow by it. Random, and secret from those who make payers.
  CREATE TABLE chain.draw_key (one boolean PRIMARY KEY DEFAULT true CHECK (one), key bytea NOT NULL CHECK (length(key) = 32));
  INSERT INTO chain.draw_key (key) VALUES (sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())))`;

/** A hub's largest transfers. By time the indexes of each coin serve. */
const byValue = (side: 'from' | 'to'): Migration => ({
  id: `chain-store/0005-${side}-by-value`,
  kind: 'index',
  index: `chain.transfers_${side}_value`,
  sql: `CREATE INDEX CONCURRENTLY transfers_${side}_value ON chain.transfers (${side}_address, chain, usd DESC NULLS LAST) WHERE dealing`,
});

export const chainStoreMigrations: readonly Migration[] = [
  { id: 'chain-store/0001-initial', sql: chain },
  { id: 'chain-store/0002-merged-usd', sql: mergedUsd },
  { id: 'chain-store/0003-source-kinds', sql: sourceKinds },
  { id: 'chain-store/0004-internal-transfers', sql: internalTransfers },
  byValue('from'),
  byValue('to'),
  { id: 'chain-store/0006-label-corrections', sql: labelCorrections },
  { id: 'chain-store/0007-authorities-of-old-rows', kind: 'batches', sql: authoritiesOfOldRows },
  { id: 'chain-store/0008-clusters', sql: clusters },
  { id: 'chain-store/0009-staged-batches', sql: stagedBatches },
  // Scores read transfers instead, and it was the largest index.
  { id: 'chain-store/0010-edges-of-labelled-peers', sql: 'DROP INDEX IF EXISTS chain.edges_others' },
  { id: 'chain-store/0011-coin-joins', sql: coinJoins },
  { id: 'chain-store/0012-label-changes', sql: labelChanges },
  { id: 'chain-store/0013-label-lists', sql: labelLists },
  { id: 'chain-store/0014-label-requests', sql: labelRequests },
  { id: 'chain-store/0015-followed-chains', sql: followedChains },
  { id: 'chain-store/0016-caught-up-chains', sql: caughtUpChains },
  { id: 'chain-store/0017-watched-addresses', sql: watchedTables },
  { id: 'chain-store/0018-withdrawn-deposits', sql: withdrawnDeposits },
  { id: 'chain-store/0019-traces', sql: traces },
  { id: 'chain-store/0020-draw-key', sql: drawKey },
  { id: 'chain-store/0021-read-functions', sql: readFunctions },
];
