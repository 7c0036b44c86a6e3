import { advisoryLock } from './advisory-locks.ts';
import { PostgresError } from './errors.ts';
import { type Pool, type Queryable, transaction } from './pool.ts';

/** Role → relation (a table, view or sequence as `schema.name`, `schema.*`, or `database` for the database itself) → privileges, as in GRANT. A role has no other privileges, but that each may connect. */
export type DatabaseAccess = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** A role for a process that runs several services → their roles. It has their privileges together and no others. */
export type CombinedRoles = Readonly<Record<string, readonly string[]>>;

/** True for the owner, false for a service's role. */
export async function mayMigrate(db: Queryable): Promise<boolean> {
  const { rows } = await db.query<{ allowed: boolean }>(`SELECT has_database_privilege(current_database(), 'CREATE') AS allowed`);
  return rows[0]?.allowed === true;
}

/** The connection URL with the privileges of `role` alone. The user of `url` must be a member of `role`. */
export function urlOfRole(url: string, role: string): string {
  const changed = new URL(url);
  changed.searchParams.set('options', `-c role=${role}`);
  return changed.toString();
}

/** Sets each role's privileges in these schemas, after the migrations. Creates missing roles and skips missing relations. */
export async function grantAccess(pool: Pool, access: DatabaseAccess, combined: CombinedRoles = {}): Promise<void> {
  await transaction(pool, async (tx) => {
    await tx.query(`SELECT ${advisoryLock('database-access')}`);
    // A combined role has no privileges of its own.
    const all = { ...access, ...Object.fromEntries(Object.keys(combined).map((role) => [role, {}])) };
    for (const role of Object.keys(all)) await createRole(tx, role);
    await tx.query(await statements(tx, all));
    for (const [role, parts] of Object.entries(combined)) await combine(tx, role, parts);
  });
}

/** Makes `role` a member of `parts` and of no other role. */
async function combine(tx: Queryable, role: string, parts: readonly string[]): Promise<void> {
  const { rows } = await tx.query<{ part: string }>(
    `SELECT DISTINCT p.rolname AS part FROM pg_auth_members m JOIN pg_roles r ON r.oid = m.member JOIN pg_roles p ON p.oid = m.roleid
     WHERE r.rolname = $1`,
    [role],
  );
  const held = new Set(rows.map(({ part }) => part));
  const missing = parts.filter((part) => !held.has(part));
  const others = [...held].filter((part) => !parts.includes(part));
  if (missing.length > 0) await inServer(tx, `GRANT ${missing.join(', ')} TO ${role}`, `${role} is no member of ${missing.join(', ')}`);
  if (others.length > 0) await inServer(tx, `REVOKE ${others.join(', ')} FROM ${role}`, `${role} is a member of ${others.join(', ')}`);
}

async function createRole(tx: Queryable, role: string): Promise<void> {
  if ((await tx.query('SELECT FROM pg_roles WHERE rolname = $1', [role])).rowCount !== 0) return;
  await inServer(tx, `CREATE ROLE ${role}; GRANT ${role} TO CURRENT_USER`, `the role ${role} is missing`);
}

/** Roles belong to the whole server, so another database may make the same change at the same time. */
async function inServer(tx: Queryable, sql: string, problem: string): Promise<void> {
  const block = `DO $$ BEGIN ${sql}; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$`;
  await tx.query(block).catch((error: { code?: unknown }) => {
    if (error.code !== '42501') throw error;
    const message = `${problem} and this user may not change that: create the roles as docs/security.md says`;
    throw new PostgresError('ROLE_MISSING', message, { cause: error });
  });
}

async function statements(tx: Queryable, access: DatabaseAccess): Promise<string> {
  const { rows } = await tx.query<{ schema: string; name: string; isSequence: boolean; database: string; public: boolean }>(
    `SELECT n.nspname AS schema, c.relname AS name, c.relkind = 'S' AS "isSequence", quote_ident(current_database()) AS database, to_regnamespace('public') IS NOT NULL AS public
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind IN ('r', 'p', 'v', 'S')`,
  );
  const database = rows[0]?.database ?? '';
  const roles = Object.keys(access);
  const schemaOf = (relation: string): string => relation.split('.')[0] ?? '';
  const found = new Set(rows.flatMap(({ schema, name }) => [`${schema}.${name}`, `${schema}.*`]));
  const all = roles.join(', ');
  const schemas = [...new Set(Object.values(access).flatMap((relations) => Object.keys(relations).map(schemaOf)))]
    .filter((schema) => found.has(`${schema}.*`))
    .join(', ');
  const sequences = new Set(rows.filter(({ isSequence }) => isSequence).map(({ schema, name }) => `${schema}.${name}`));
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
          : [`GRANT ${privileges} ON ${sequences.has(relation) ? 'SEQUENCE ' : ''}${relation} TO ${role}`],
      ),
    ];
  });
  return [
    ...databaseGrants(database, access),
    ...(rows[0]?.public === true ? ['REVOKE CREATE ON SCHEMA public FROM PUBLIC'] : []),
    `REVOKE ALL ON ALL TABLES IN SCHEMA ${schemas} FROM ${all}`,
    `REVOKE ALL ON ALL SEQUENCES IN SCHEMA ${schemas} FROM ${all}`,
    `REVOKE ALL ON SCHEMA ${schemas} FROM ${all}`,
    ...grants,
  ].join(';\n');
}

/** The privileges on the database itself, which a copy of the database does not inherit. */
export function databaseGrants(database: string, access: DatabaseAccess): string[] {
  const roles = Object.keys(access);
  return [
    // PostgreSQL grants it to every user by default.
    `REVOKE TEMPORARY ON DATABASE ${database} FROM PUBLIC`,
    `REVOKE ALL ON DATABASE ${database} FROM ${roles.join(', ')}`,
    `GRANT CONNECT ON DATABASE ${database} TO ${roles.join(', ')}`,
    ...Object.entries(access).flatMap(([role, { database: given }]) =>
      given === undefined ? [] : [`GRANT ${given} ON DATABASE ${database} TO ${role}`],
    ),
  ];
}
