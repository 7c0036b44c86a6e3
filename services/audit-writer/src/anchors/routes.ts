import type { Pool } from '@weir/postgres';
import { type Callers, admission, type Operation, operation, readers } from '@weir/service-kit';
import { z } from 'zod';
import { exampleCheckpoint } from '../examples.ts';

const view = z
  .strictObject({
    name: z.string().describe('Kind and place.'),
    size: z.int().min(0).describe('Leaves of the last copy; 0 before the first.'),
    anchored_at: z.string().nullable().describe('When the place took the last copy.'),
    error: z.string().nullable().describe('Why the last attempt failed.'),
    note: z.string().nullable().describe('The last copy, of a witness with its cosignature.'),
  })
  .meta({ id: 'AuditAnchor' });

/** The places that keep checkpoints. */
export function anchorOperations({ pool, access }: { pool: Pool; access: Callers }): readonly Operation[] {
  return [
    operation({
      name: 'list_audit_anchors',
      method: 'GET',
      path: '/v1/audit/anchors',
      tag: 'audit',
      summary: 'The places outside that keep checkpoints of the audit log, and their last copies.',
      admission: admission(access, readers),
      answers: [
        {
          status: 200,
          description: 'Places of `WEIR_AUDIT_ANCHORS`, and those that once were.',
          schema: z.strictObject({ items: z.array(view) }),
          example: {
            items: [
              { name: 'webhook:notary.example', size: 1, anchored_at: '2026-01-31T09:20:00.000Z', error: null, note: exampleCheckpoint },
            ],
          },
        },
      ],
      respond: async (c) => {
        const { rows } = await pool.query<{
          name: string;
          size: bigint;
          anchored_at: Date | null;
          error: string | null;
          note: string | null;
        }>('SELECT name, size, anchored_at, error, note FROM audit.anchors ORDER BY name LIMIT 100');
        const items = rows.map((row) => ({ ...row, size: Number(row.size), anchored_at: row.anchored_at?.toISOString() ?? null }));
        return c.json({ items }, 200, { 'cache-control': 'no-store' });
      },
    }),
  ];
}
