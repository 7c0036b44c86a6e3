import type { Described } from '@weir/service-kit';
import { z } from 'zod';

const names = z.array(z.string());

export const partView = z
  .strictObject({
    service: z.string().describe('`weir` where all services are one process.'),
    state: z.enum(['ready', 'not_ready', 'away']).describe('away: it gives no answer of `/readyz`.'),
    unavailable: names.describe('Dependencies that it needs and cannot reach.'),
    degraded: names.describe('Unreachable dependencies that it can do without.'),
    warnings: names.describe('Problems that do not affect its work.'),
  })
  .meta({ id: 'PartHealth' });
export type PartView = Described<typeof partView>;

export const exampleHealth: PartView[] = [
  { service: 'console', state: 'ready', unavailable: [], degraded: [], warnings: [] },
  { service: 'scoring', state: 'not_ready', unavailable: ['database'], degraded: [], warnings: [] },
];
