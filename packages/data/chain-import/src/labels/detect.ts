import { startOf } from '../source/bytes.ts';
import { xmlRoot } from '../source/xml.ts';
import type { LabelFormat } from '../formats.ts';

const roots: Readonly<Record<string, LabelFormat>> = {
  Sanctions: 'ofac-advanced',
  sdnList: 'ofac-xml',
  export: 'eu',
  Designations: 'uk',
  CONSOLIDATED_LIST: 'un',
};

/** The format of a file whose content leaves no doubt; undefined for all others. */
export async function detectLabelFormat(path: string): Promise<LabelFormat | undefined> {
  const start = await startOf(path);
  const root = xmlRoot(start);
  if (root !== undefined) return Object.hasOwn(roots, root) ? roots[root] : undefined;
  if (start.startsWith('{')) return /"schema":\s*"[A-Z]\w+"/.test(start) && start.includes('"properties"') ? 'opensanctions' : undefined;
  if (/^"?Report Date/i.test(start) && start.includes('Unique ID')) return 'uk';
  // A record of OFAC's SDN.CSV: a number, a quoted name, and cells that are absent.
  return /^\d+,"[^"]+",(?:-0- ?|"[^"]*"),"/.test(start) && start.includes('-0-') ? 'ofac-csv' : undefined;
}
