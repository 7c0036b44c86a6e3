import type { ReportQuery } from '../report/query.ts';
import type { Origin } from './origin.ts';

/** Builds a report URL with its access token. */
export type ReportUrl = (query: ReportQuery, origin: Origin) => string | Promise<string>;
