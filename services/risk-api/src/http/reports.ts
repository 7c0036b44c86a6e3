import type { ReportQuery } from '../report/query.ts';
import type { Origin } from './origin.ts';

/** The address of the report about a result, with its access token. */
export type ReportUrl = (query: ReportQuery, origin: Origin) => string | Promise<string>;
