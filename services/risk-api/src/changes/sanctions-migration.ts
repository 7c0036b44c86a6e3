import { advisoryLock, type Migration } from '@weir/postgres';

/** A sanctions label begins and ends on every EVM chain, and so on chains that have no label of that address. */
export const sanctionsChangesMigration: Migration = {
  id: 'risk-api/0017-sanctions-changes',
  sql: `
    -- As before; the label may be on another chain.
    CREATE OR REPLACE FUNCTION risk.take_label_changes(at_time timestamptz, most integer) RETURNS integer LANGUAGE plpgsql AS $$
    DECLARE took integer;
    BEGIN
      UPDATE risk.label_changes SET taken = true WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM risk.label_changes WHERE NOT taken AND (due_at IS NULL OR due_at <= at_time) LIMIT most FOR UPDATE SKIP LOCKED));
      GET DIAGNOSTICS took = ROW_COUNT;
      IF took = 0 THEN RETURN 0; END IF;
      -- An end or a beginning that was corrected since is none. The index of the labels begins with the chain.
      DELETE FROM risk.label_changes c WHERE c.taken AND c.due_at IS NOT NULL AND NOT EXISTS (
        SELECT FROM chain.chain_data d JOIN chain.labels l ON l.chain = d.chain AND l.address = c.address WHERE c.due_at IN (l.valid_from, l.valid_to));
      PERFORM ${advisoryLock('score-storage')};
      UPDATE risk.label_state SET version = version + 1;
      RETURN took;
    END $$;`,
};
