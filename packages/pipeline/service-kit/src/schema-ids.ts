import { createHash } from 'node:crypto';
import type { SchemaIds } from '@weir/contracts';
import type { Pool } from '@weir/postgres';

/** The embedded tier's registry: a table. Ids are never reused. */
export function postgresSchemaIds(pool: Pool): SchemaIds {
  return {
    register: async (topic, schema) => {
      const sha256 = createHash('sha256').update(schema).digest('hex');
      const find = 'SELECT id FROM schemas.schemas WHERE topic = $1 AND sha256 = $2';
      const before = await pool.query<{ id: number }>(find, [topic, sha256]);
      if (before.rows[0] !== undefined) return before.rows[0].id;
      await pool.query('INSERT INTO schemas.schemas (topic, sha256, schema) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING', [
        topic,
        sha256,
        schema,
      ]);
      const { rows } = await pool.query<{ id: number }>(find, [topic, sha256]);
      return (rows[0] as { id: number }).id;
    },
    find: async (id) => {
      // Beyond the column's range no schema exists.
      if (id > 2_147_483_647) return undefined;
      const { rows } = await pool.query<{ schema: string }>('SELECT schema FROM schemas.schemas WHERE id = $1', [id]);
      return rows[0]?.schema;
    },
  };
}
