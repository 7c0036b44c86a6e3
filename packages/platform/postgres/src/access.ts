import { advisoryLock } from './advisory-locks.ts';
import { PostgresError } from './errors.ts';
import { type Pool, type Queryable, transaction } from './pool.ts';

/** Role → relation (`schema.name`, or `schema.*` for all of a schema) → privileges, as in GRANT. A role has what stands here and nothing else. */
export type DatabaseAccess = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Whether this user may change the schema: the owner may, a service's role may not. */
export async function mayMigrate(db: Queryable): Promise<boolean> {
  const { rows } = await db.query<{ allowed: boolean }>(`SELECT has_database_privilege(current_database(), 'CREATE') AS allowed`);
  return rows[0]?.allowed === true;
}

/** The address for connections that have the rights of `role` alone; the user of `url` must be its member. */
export function urlOfRole(url: string, role: string): string {
  const changed = new URL(url);
  changed.searchParams.set('options', `-c role=${role}`);
  return changed.toString();
}

/**
 * Gives each role its privileges and takes away all others that it has in these schemas. Makes roles that are missing. To be called by the
 * owner, after the migrations; a relation that is not there is left out.
 */
export async function grantAccess(pool: Pool, access: DatabaseAccess): Promise<void> {
  await transaction(pool, async (tx) => {
    await tx.query(`SELECT ${advisoryLock('database-access')}`);
    for (const role of Object.keys(access)) await createRole(tx, role);
    await tx.query(await statements(tx, access));
  });
}

async function createRole(tx: Queryable, role: string): Promise<void> {
  if ((await tx.query('SELECT FROM pg_roles WHERE rolname = $1', [role])).rowCount !== 0) return;
  // Roles belong to the whole server: another database of it may get its own at this moment.
  const create = `DO $$ BEGIN CREATE ROLE ${role}; GRANT ${role} TO CURRENT_USER; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$`;
  await tx.query(create).catch((error: { code?: unknown }) => {
    if (error.code !== '42501') throw error;
    const message = `the role ${role} is missing and this user may not create it: create the roles as docs/security.md says`;
    throw new PostgresError('ROLE_MISSING', message, { cause: error });
  });
}

async function statements(tx: Queryable, access: DatabaseAccess): Promise<string> {
  const { rows } = await tx.query<{ schema: string; name: string; database: string; public: boolean }>(
    `SELECT n.nspname AS schema, c.relname AS name, quote_ident(current_database()) AS database, to_regnamespace('public') IS NOT NULL AS public
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind IN ('r', 'p', 'v')`,
  );
  const database = rows[0]?.database ?? '';
  const schemaOf = (relation: string): string => relation.split('.')[0] ?? '';
  const found = new Set(rows.flatMap(({ schema, name }) => [`${schema}.${name}`, `${schema}.*`]));
  const all = Object.keys(access).join(', ');
  const schemas = [...new Set(Object.values(access).flatMap((relations) => Object.keys(relations).map(schemaOf)))]
    .filter((schema) => found.has(`${schema}.*`))
    .join(', ');
  const grants = Object.entries(access).flatMap(([role, relations]) => {
    const given = Object.entries(relations).filter(([relation]) => found.has(relation));
    return [
      ...[...new Set(given.map(([relation]) => schemaOf(relation)))].map((schema) => `GRANT USAGE ON SCHEMA ${schema} TO ${role}`),
      ...given.flatMap(([relation, privileges]) =>
        relation.endsWith('.*')
          ? [
              `GRANT ${privileges} ON ALL TABLES IN SCHEMA ${schemaOf(relation)} TO ${role}`,
              `GRANT USAGE ON ALL SEQUENCES IN SCHEMA ${schemaOf(relation)} TO ${role}`,
            ]
          : [`GRANT ${privileges} ON ${relation} TO ${role}`],
      ),
    ];
  });
  return [
    // Every user has these unless they are taken away.
    `REVOKE TEMPORARY ON DATABASE ${database} FROM PUBLIC`,
    ...(rows[0]?.public === true ? ['REVOKE CREATE ON SCHEMA public FROM PUBLIC'] : []),
    `REVOKE ALL ON DATABASE ${database} FROM ${all}`,
    `GRANT CONNECT ON DATABASE ${database} TO ${all}`,
    `REVOKE ALL ON ALL TABLES IN SCHEMA ${schemas} FROM ${all}`,
    `REVOKE ALL ON ALL SEQUENCES IN SCHEMA ${schemas} FROM ${all}`,
    `REVOKE ALL ON SCHEMA ${schemas} FROM ${all}`,
    ...grants,
  ].join(';\n');
}
