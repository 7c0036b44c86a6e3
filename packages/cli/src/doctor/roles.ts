import type { Pool } from '@weir/postgres';
import { type DatabaseUser, roleOf, serviceNames } from '@weir/service-kit';
import { type Finding, ok, remark } from './finding.ts';

/** Whether services in their own processes connect with restricted roles. Those of `weir start` always do. */
export async function examineRoles(pool: Pool): Promise<Finding[]> {
  const { rows } = await pool.query<{ service: DatabaseUser; name: string; super: boolean }>(
    `SELECT DISTINCT substr(a.application_name, length('weir-') + 1) AS service, r.rolname AS name, r.rolsuper AS super
     FROM pg_stat_activity a JOIN pg_roles r ON r.oid = a.usesysid
     WHERE a.datname = current_database() AND a.application_name = ANY ($1)
       AND (r.rolsuper OR r.oid = (SELECT nspowner FROM pg_namespace WHERE nspname = 'weir')) ORDER BY 1, 2`,
    [serviceNames.map((service) => `weir-${service}`)],
  );
  if (rows.length === 0) return [ok('database users', 'no service runs as the owner of the database')];
  return rows.map(({ service, name, super: isSuper }) =>
    remark(
      'database users',
      `${service} runs as ${name}, ${isSuper ? 'a superuser' : 'the owner of the database'}; let it connect as ${roleOf(service)}, see docs/security.md`,
    ),
  );
}
