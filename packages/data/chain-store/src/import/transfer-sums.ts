import { inLabelledCluster } from '../clusters/member-labels.ts';
import { changesFlows } from './observer.ts';

/** The pairs of these changes. Excludes nobodies ($1) and transfers to oneself. */
export const pairsOf = (changes: string): string => `pairs AS (
    SELECT chain, from_address, to_address, sum(dealings) AS transfers, sum(unknown_dealings) AS unknown_transfers, sum(usd) AS usd
    FROM ${changes}
    WHERE ${changesFlows} AND NOT (from_address = ANY ($1::text[]) OR to_address = ANY ($1::text[]))
    GROUP BY chain, from_address, to_address)`;

/** Each of the pairs, once for each of its addresses. */
export const bothSides = `
  SELECT chain, to_address AS address, 0::smallint AS side, from_address AS peer, transfers, unknown_transfers, usd FROM pairs
  UNION ALL SELECT chain, from_address, 1::smallint, to_address, transfers, unknown_transfers, usd FROM pairs`;

/** Edges, and the sums by side. A pair without a place is new and adds a peer to the side. */
export const addToEdges = `
  WITH ${pairsOf('pg_temp.transfer_changes')},
  sums AS MATERIALIZED (SELECT * FROM (${bothSides}) p ORDER BY address, chain, side, peer),
  placed AS MATERIALIZED (
    SELECT s.*, e.ctid AS place FROM sums s
    LEFT JOIN chain.edges e ON left(e.address, 12) = left(s.address, 12) AND hashtextextended(e.peer, 0) = hashtextextended(s.peer, 0)
      AND e.address = s.address AND e.peer = s.peer AND e.chain = s.chain AND e.side = s.side),
  added AS (
    UPDATE chain.edges e SET transfers = e.transfers + p.transfers, unknown_transfers = e.unknown_transfers + p.unknown_transfers, usd = e.usd + p.usd
    FROM placed p WHERE e.ctid = p.place),
  stored AS (
    INSERT INTO chain.edges (chain, address, side, peer, peer_labelled, transfers, unknown_transfers, usd)
    SELECT chain, address, side, peer, EXISTS (SELECT FROM chain.labels l WHERE l.chain = p.chain AND l.address = p.peer) OR ${inLabelledCluster('p.chain', 'p.peer')},
      transfers, unknown_transfers, usd
    FROM placed p WHERE place IS NULL)
  INSERT INTO chain.sides AS d (chain, address, side, peers, transfers, unknown_transfers, usd)
  SELECT chain, address, side, count(*) FILTER (WHERE place IS NULL), sum(transfers), sum(unknown_transfers), sum(usd)
  FROM placed GROUP BY chain, address, side ORDER BY address, chain, side
  ON CONFLICT (chain, address, side) DO UPDATE SET peers = d.peers + excluded.peers, transfers = d.transfers + excluded.transfers,
    unknown_transfers = d.unknown_transfers + excluded.unknown_transfers, usd = d.usd + excluded.usd`;

export const statsColumns = `chain, address, coin, received_transfers, spent_transfers, received_amount, spent_amount,
    received_usd, spent_usd, received_unknown, spent_unknown, first_at, last_at`;

/** The columns above for each address and coin of these changes. */
export const statsOf = (changes: string): string => `
  SELECT chain, address, coin, coalesce(sum(transfers) FILTER (WHERE received), 0), coalesce(sum(transfers) FILTER (WHERE NOT received), 0),
    coalesce(sum(amount) FILTER (WHERE received), 0), coalesce(sum(amount) FILTER (WHERE NOT received), 0),
    coalesce(sum(usd) FILTER (WHERE received), 0), coalesce(sum(usd) FILTER (WHERE NOT received), 0),
    coalesce(sum(unknown_transfers) FILTER (WHERE received), 0), coalesce(sum(unknown_transfers) FILTER (WHERE NOT received), 0), min(at), max(at)
  FROM (SELECT chain, to_address AS address, coin, true AS received, transfers, unknown_transfers, amount, usd, at FROM ${changes}
    UNION ALL SELECT chain, from_address, coin, false, transfers, unknown_transfers, amount, usd, at FROM ${changes}) m
  GROUP BY chain, address, coin ORDER BY address, chain, coin`;

export const addToStats = `
  INSERT INTO chain.address_stats AS s (${statsColumns})
  ${statsOf('pg_temp.transfer_changes')}
  ON CONFLICT (chain, address, coin) DO UPDATE SET
    received_transfers = s.received_transfers + excluded.received_transfers, spent_transfers = s.spent_transfers + excluded.spent_transfers,
    received_amount = s.received_amount + excluded.received_amount, spent_amount = s.spent_amount + excluded.spent_amount,
    received_usd = s.received_usd + excluded.received_usd, spent_usd = s.spent_usd + excluded.spent_usd,
    received_unknown = s.received_unknown + excluded.received_unknown, spent_unknown = s.spent_unknown + excluded.spent_unknown,
    first_at = least(s.first_at, excluded.first_at), last_at = greatest(s.last_at, excluded.last_at)`;

/** Pairs that have no transfer left. The number of peers follows. */
export const dropEmptyEdges = `
  WITH ${pairsOf('pg_temp.transfer_changes')},
  gone AS (
    DELETE FROM chain.edges e USING (${bothSides}) s
    WHERE left(e.address, 12) = left(s.address, 12) AND hashtextextended(e.peer, 0) = hashtextextended(s.peer, 0)
      AND e.address = s.address AND e.peer = s.peer AND e.chain = s.chain AND e.side = s.side AND e.transfers = 0
    RETURNING e.chain, e.address, e.side)
  UPDATE chain.sides d SET peers = d.peers - g.peers
  FROM (SELECT chain, address, side, count(*) AS peers FROM gone GROUP BY chain, address, side) g
  WHERE d.address = g.address AND d.chain = g.chain AND d.side = g.side`;

export const dropEmptySides = `
  WITH ${pairsOf('pg_temp.transfer_changes')}
  DELETE FROM chain.sides d USING (${bothSides}) s
  WHERE d.address = s.address AND d.chain = s.chain AND d.side = s.side AND d.peers = 0`;

const changedStats = `(SELECT chain, to_address AS address, coin FROM pg_temp.transfer_changes
    UNION SELECT chain, from_address, coin FROM pg_temp.transfer_changes)`;

export const dropEmptyStats = `
  DELETE FROM chain.address_stats s USING ${changedStats} c
  WHERE s.address = c.address AND s.chain = c.chain AND s.coin = c.coin AND s.received_transfers = 0 AND s.spent_transfers = 0`;

/** Transfers that were removed may have been the first or the last. */
export const renewStatTimes = `
  UPDATE chain.address_stats s SET first_at = n.first_at, last_at = n.last_at
  FROM ${changedStats} c CROSS JOIN LATERAL (
    SELECT min(at) AS first_at, max(at) AS last_at FROM (
      ${(['from', 'to'] as const)
        .flatMap((side) => (['ASC', 'DESC'] as const).map((order) => ({ side, order })))
        .map(
          ({ side, order }) =>
            `(SELECT at FROM chain.transfers WHERE ${side}_address = c.address AND chain = c.chain AND coin = c.coin ORDER BY at ${order} LIMIT 1)`,
        )
        .join(' UNION ALL ')}) t) n
  WHERE s.address = c.address AND s.chain = c.chain AND s.coin = c.coin`;
