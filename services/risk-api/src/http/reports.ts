import type { ReportQuery } from '../reports/query.ts';
import type { Origin } from './origin.ts';

export type ReportUrl = (query: ReportQuery, origin: Origin) => string | Promise<string>;
