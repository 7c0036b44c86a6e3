import { optional, Unusable } from '../source/fields.ts';
import type { Fields } from '../source/records.ts';
import { listOf } from './tag-fields.ts';

/** As a whole word; `us` may stand before it without a space. */
const inClaim = /(?<![a-z])(?:us)?(?:sanction(?:s|ed)?|ofac|sdn)(?![a-z])/i;
/** A name may be that of a shop for sanctions screening. */
const inName = /(?<![a-z])(?:us)?(?:sanctioned|sanctions?[\s_-]?list|ofac|sdn(?:list)?)(?![a-z])/i;
const saysEnded = /(?<![a-z])(?:de-?listed|delisting|lifted|formerly|no longer)(?![a-z])/i;
const saysOfac = /(?<![a-z])(?:ofac|sdn|treasury\.gov)(?![a-z])/i;

/**
 * Undefined when the tag does not say of its address that it is sanctioned. Beside an abuse its name is no statement: there is ransomware
 * called Sanction. Titles and the pages that a tag cites are about many things, so their words decide nothing.
 */
export function sanctionIn(fields: Fields): { authority: string | undefined } | undefined {
  const abuse = optional(fields, 'abuse');
  const claims = [optional(fields, 'category'), abuse, ...listOf(fields['concepts'])];
  const name = abuse === undefined ? (optional(fields, 'label', 'actor') ?? '') : '';
  if (!claims.some((claim) => inClaim.test(claim ?? '')) && !inName.test(name) && !isOfacNotice(fields)) return undefined;
  const said = [...claims, name, optional(fields, 'title'), optional(fields, 'tagpack'), ...listOf(fields['source'])].join(' ');
  if (saysEnded.test(said)) throw new Unusable('the tag says that a sanctions listing has ended, but not when');
  return { authority: saysOfac.test(said) ? 'OFAC' : undefined };
}

/** The tag calls itself an authority's data and cites nothing but OFAC's own pages on sanctions. */
function isOfacNotice(fields: Fields): boolean {
  const pages = listOf(fields['source']);
  return optional(fields, 'confidence')?.toLowerCase() === 'authority_data' && pages.length > 0 && pages.every(isOfacPage);
}

function isOfacPage(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { hostname, pathname } = new URL(text);
  if (hostname === 'ofac.treasury.gov') return true;
  return /(?:^|\.)treasury\.gov$/.test(hostname) && /\/(?:ofac|sanctions|financial-sanctions)(?:\/|$)/i.test(pathname);
}
