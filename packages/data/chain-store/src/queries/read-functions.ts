/**
 * The statements that a score sends again and again. In functions each connection plans them once. As plain statements PostgreSQL planned
 * them for each call, which took as long as to run them. No plan may depend on how full a table was when it was made, or seemed to be: only
 * indexes are allowed, and OFFSET 0 or LIMIT in a LATERAL keep the order of joins, from the given addresses on. Sorting is avoided, so that
 * transfers come from the one index that has their order.
 */
const byIndex = `
  SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off
  SET enable_mergejoin = off SET enable_memoize = off SET enable_sort = off`;

const sides = [
  { side: 0, own: 'to_address', peer: 'from_address', transfers: 'received_transfers', usd: 'received_usd' },
  { side: 1, own: 'from_address', peer: 'to_address', transfers: 'spent_transfers', usd: 'spent_usd' },
] as const;
type SideColumns = (typeof sides)[number];

/** The transfers of which the sums consist. */
const counted = 't.dealing AND t.from_address <> t.to_address AND t.from_address <> ALL (nobodies) AND t.to_address <> ALL (nobodies)';

/** The nearest of one coin: the index begins with address, chain and coin, and has each coin in the order of time. */
const ofCoin = ({ own }: SideColumns, isInTime: string, order: string): string => `
  SELECT t.txid, t.position, t.from_address, t.to_address, t.coin, t.amount, t.usd, t.at FROM chain.transfers t
  WHERE t.${own} = w.address AND t.chain = of_chain AND t.coin = c.coin AND ${isInTime} AND ${counted} ORDER BY t.at ${order} LIMIT most`;

const coinsOf = ({ side, transfers, usd }: SideColumns, size: string): string => `
  FROM chain.address_stats a
  WHERE s.side = ${side} AND s.transfers ${size} most AND a.address = w.address AND a.chain = of_chain AND a.${transfers} > 0
    AND (a.coin = ANY (coins) OR a.${usd} > 0)`;

/** All of a side with fewer transfers than the limit. Nothing is sorted, and most sides are such. */
const few = (columns: SideColumns, isInTime: string, order: string): string => `
  SELECT t.*, t.${columns.peer} AS peer, false AS is_cut
  FROM (SELECT a.coin ${coinsOf(columns, '<')} OFFSET 0) c CROSS JOIN LATERAL (${ofCoin(columns, isInTime, order)}) t`;

/** The nearest of its busiest hundred coins. */
const near = (columns: SideColumns, isInTime: string, order: string): string => `
  (SELECT t.*, t.${columns.peer} AS peer, c.coins > 100 AS is_cut FROM (
    SELECT a.coin, count(*) OVER () AS coins ${coinsOf(columns, '>=')} ORDER BY a.${columns.transfers} DESC, a.coin LIMIT 100) c
  CROSS JOIN LATERAL (${ofCoin(columns, isInTime, order)}) t
  ORDER BY t.at ${order}, t.txid, t.position, t.coin, t.from_address, t.to_address LIMIT most)`;

/** Of transfers `t` with a row `w` for the address. */
const listed = `
  (w.n - 1)::int4, s.side, t.txid, t.position, t.peer, t.coin, t.amount, t.usd, date_part('epoch', t.at),
  has_inputs AND EXISTS (SELECT FROM chain.coin_joins j WHERE j.txid = t.txid AND j.chain = of_chain OFFSET 0)`;
const listedColumns = `
  n int4, side int2, tx text, "position" int4, peer text, coin text, amount numeric, usd numeric, seconds float8, coin_join boolean`;

const sidesOf = 'SELECT * FROM chain.sides s WHERE s.address = w.address AND s.chain = of_chain';

const past = { isInTime: 't.at <= to_timestamp(w.at / 1000)', order: 'DESC' };
const future = { isInTime: 't.at >= to_timestamp(w.at / 1000)', order: 'ASC' };

const nearest = ({ isInTime, order }: typeof past): string => `
  RETURN QUERY SELECT ${listed}, t.is_cut, NULL::int8, NULL::int8, NULL::int8
    FROM unnest(addresses, times) WITH ORDINALITY AS w (address, at, n)
    CROSS JOIN LATERAL (${sidesOf} AND s.transfers > 0 OFFSET 0) s
    CROSS JOIN LATERAL (${sides.flatMap((side) => [few(side, isInTime, order), near(side, isInTime, order)]).join(' UNION ALL ')}) t`;

/**
 * `chain.read_sides`: the sums of both sides of each address, in rows without a txid, and its transfers in time, of each side up to `most`.
 * `times`: Unix ms, the last of the past or the first of the future. `coins`: those that count without a value. `n` is the place of the
 * address from 0; `side` is 0 for what it received, 1 for what it sent. `is_cut`: the side has more coins than were read.
 *
 * `chain.largest_of_sides`: of each (address, side) the `most` transfers with the largest value, among ten times as many of the whole life.
 *
 * `chain.labels_of`: labels valid at a time. A sanctions listing (a category of `listings`, in lower case) of any of `listing_chains` counts,
 * once; the row of its own chain comes first.
 */
export const readFunctions = `
  CREATE FUNCTION chain.read_sides(
    of_chain text, nobodies text[], has_inputs boolean, addresses text[], times float8[], is_future boolean, most int8, coins text[])
  RETURNS TABLE (${listedColumns}, is_cut boolean, peers int8, transfers int8, unknown_transfers int8)
  LANGUAGE plpgsql STABLE ${byIndex} AS $$
  #variable_conflict use_column
  BEGIN
    RETURN QUERY SELECT (w.n - 1)::int4, s.side, NULL, NULL::int4, NULL, NULL, NULL::numeric, s.usd, NULL::float8, NULL::boolean, NULL::boolean,
      s.peers, s.transfers, s.unknown_transfers
      FROM unnest(addresses) WITH ORDINALITY AS w (address, n) CROSS JOIN LATERAL (${sidesOf} OFFSET 0) s;
    IF is_future THEN ${nearest(future)};
    ELSE ${nearest(past)};
    END IF;
  END $$;

  CREATE FUNCTION chain.largest_of_sides(
    of_chain text, nobodies text[], has_inputs boolean, addresses text[], times float8[], sides int2[], is_future boolean, most int8)
  RETURNS TABLE (${listedColumns})
  LANGUAGE plpgsql STABLE ${byIndex} AS $$
  #variable_conflict use_column
  BEGIN
    RETURN QUERY SELECT ${listed} FROM unnest(addresses, times, sides) WITH ORDINALITY AS w (address, at, side, n)
      CROSS JOIN LATERAL (SELECT w.side) s
      CROSS JOIN LATERAL (
        SELECT * FROM (${sides
          .map(
            ({ side, own, peer }) => `
          (SELECT t.txid, t.position, t.coin, t.amount, t.usd, t.at, t.${peer} AS peer FROM chain.transfers t
           WHERE w.side = ${side} AND t.${own} = w.address AND t.chain = of_chain AND ${counted} ORDER BY t.usd DESC NULLS LAST LIMIT most * 10)`,
          )
          .join(' UNION ALL ')}) t
        WHERE CASE WHEN is_future THEN ${future.isInTime} ELSE ${past.isInTime} END ORDER BY t.usd DESC NULLS LAST LIMIT most) t;
  END $$;

  CREATE FUNCTION chain.labels_of(of_chain text, addresses text[], valid_at timestamptz, listing_chains text[], listings text[])
  RETURNS TABLE (address text, name text, category text, confidence float8, source text, source_kind text)
  LANGUAGE plpgsql STABLE ${byIndex} AS $$
  #variable_conflict use_column
  BEGIN
    RETURN QUERY SELECT DISTINCT ON (l.address, l.source, l.category, l.name, l.valid_from)
      l.address, l.name, l.category, l.confidence, l.source, l.source_kind FROM chain.labels l
    WHERE l.chain = ANY (listing_chains) AND l.address = ANY (addresses)
      AND coalesce(l.valid_from <= valid_at, true) AND coalesce(l.valid_to > valid_at, true)
      AND (l.chain = of_chain OR lower(l.category) = ANY (listings))
    ORDER BY l.address, l.source, l.category, l.name, l.valid_from, l.chain <> of_chain, l.chain;
  END $$;`;
