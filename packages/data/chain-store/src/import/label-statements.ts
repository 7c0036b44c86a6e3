/** Per connection, emptied at commit. */
export const labelTables = `
  CREATE TEMP TABLE IF NOT EXISTS given_labels (
    n integer, chain text COLLATE "C", address text COLLATE "C", name text COLLATE "C", category text COLLATE "C", source text COLLATE "C",
    valid_from timestamptz, valid_to timestamptz, confidence double precision, source_kind text COLLATE "C", authority text COLLATE "C") ON COMMIT DELETE ROWS;
  CREATE TEMP TABLE IF NOT EXISTS stored_labels (chain text COLLATE "C", address text COLLATE "C", category text COLLATE "C", valid_from timestamptz, valid_to timestamptz,
    is_new boolean, authority text COLLATE "C", is_gone boolean) ON COMMIT DELETE ROWS`;

/**
 * A copy of a listing has no end of its own: it ends with the authority's, whichever is imported first. A new listing needs no copy. $1: all
 * chains, by which the index of the labels begins. Chains with the same addresses share their listings.
 */
export const endCopies = `
  WITH touched AS MATERIALIZED (SELECT DISTINCT address, authority FROM pg_temp.stored_labels WHERE authority IS NOT NULL),
  ended AS MATERIALIZED (
    SELECT t.address, t.authority, max(l.valid_to) AS valid_to FROM touched t CROSS JOIN unnest($1::text[]) AS c (chain)
    JOIN chain.labels l ON l.chain = c.chain AND l.address = t.address AND l.authority = t.authority AND l.source_kind = 'authority'
    GROUP BY t.address, t.authority HAVING bool_and(l.valid_to IS NOT NULL)),
  copies AS MATERIALIZED (
    SELECT l.ctid AS place, e.valid_to FROM ended e CROSS JOIN unnest($1::text[]) AS c (chain)
    JOIN chain.labels l ON l.chain = c.chain AND l.address = e.address AND l.authority = e.authority AND l.source_kind <> 'authority' AND l.valid_to IS NULL),
  closed AS (
    UPDATE chain.labels l SET valid_to = c.valid_to FROM copies c WHERE l.ctid = c.place
    RETURNING l.chain, l.address, l.category, l.valid_from, l.valid_to, l.authority)
  INSERT INTO pg_temp.stored_labels SELECT chain, address, category, valid_from, valid_to, false, authority FROM closed`;

/**
 * Finds the counterparties through the address's own edges: each pair is stored twice. OFFSET 0 fixes this order, because the planner
 * would scan all edges for each label.
 */
export const flagEdges = `
  UPDATE chain.edges e SET peer_labelled = true
  FROM (SELECT DISTINCT chain, address FROM pg_temp.stored_labels WHERE is_new) l
  CROSS JOIN LATERAL (SELECT o.chain, o.address, o.side, o.peer FROM chain.edges o
    WHERE left(o.address, 12) = left(l.address, 12) AND o.address = l.address AND o.chain = l.chain OFFSET 0) own
  WHERE left(e.address, 12) = left(own.peer, 12) AND hashtextextended(e.peer, 0) = hashtextextended(own.address, 0)
    AND e.chain = own.chain AND e.address = own.peer AND e.side = 1 - own.side AND e.peer = own.address AND NOT e.peer_labelled`;
