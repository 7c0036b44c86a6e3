import type { Queryable } from '@weir/postgres';

/** Holds the tables that are being built. A load that was interrupted leaves it; the next one begins with an empty one. */
export const schema = 'chain_next';

export async function emptySchema(db: Queryable): Promise<void> {
  await db.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
  await db.query(`CREATE SCHEMA ${schema}`);
}

/** A table like `chain.<name>` without its indexes. */
export async function createTwin(db: Queryable, name: string): Promise<void> {
  await db.query(`CREATE TABLE ${schema}.${name} (LIKE chain.${name} INCLUDING ALL EXCLUDING INDEXES)`);
  await runEach(
    db,
    `SELECT format('ALTER TABLE ${schema}.${name} SET (%s)', array_to_string(reloptions, ', ')) AS text
     FROM pg_class WHERE oid = 'chain.${name}'::regclass AND reloptions IS NOT NULL`,
  );
}

/** Builds each index and key of `chain.<name>` by sorting, which costs a tenth of adding its rows one by one. */
export async function indexTwin(db: Queryable, name: string): Promise<void> {
  await runEach(
    db,
    `SELECT coalesce('ALTER TABLE ${schema}.${name} ADD CONSTRAINT ' || quote_ident(c.conname) || ' ' || pg_get_constraintdef(c.oid),
       replace(pg_get_indexdef(i.indexrelid), ' ON chain.', ' ON ${schema}.')) AS text
     FROM pg_index i LEFT JOIN pg_constraint c ON c.conindid = i.indexrelid AND c.contype IN ('p', 'u')
     WHERE i.indrelid = 'chain.${name}'::regclass ORDER BY i.indexrelid`,
  );
}

/** The twin takes the table's place, with its privileges. */
export async function replaceByTwin(db: Queryable, name: string): Promise<void> {
  await runEach(
    db,
    `SELECT format('GRANT %s ON ${schema}.${name} TO %s', a.privilege_type, CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE a.grantee::regrole::text END) AS text
     FROM pg_class c CROSS JOIN aclexplode(c.relacl) a WHERE c.oid = 'chain.${name}'::regclass AND a.grantee <> c.relowner`,
  );
  await db.query(`DROP TABLE chain.${name}`);
  await db.query(`ALTER TABLE ${schema}.${name} SET SCHEMA chain`);
}

async function runEach(db: Queryable, statements: string): Promise<void> {
  const { rows } = await db.query<{ text: string }>(statements);
  for (const { text } of rows) await db.query(text);
}
