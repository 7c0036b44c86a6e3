import satisfies from 'spdx-satisfies';
import { type Component, nameOf } from './sbom.ts';

/** They let Weir be distributed under Apache-2.0 without further duties than their notices. */
const allowed = [
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-2-Clause-Views',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'Unlicense',
  'Zlib',
];

/** Packages whose manifest names no licence in SPDX's words, with the one that is in them. Another version needs another look. */
const read: Readonly<Record<string, string>> = { 'png-js@1.1.0': 'MIT', 'tv4@1.3.0': 'MIT' };

/** One line for each component whose licence is unknown or not allowed. Each of several licences must be allowed. */
export function licenceProblems(components: readonly Component[]): string[] {
  return components.flatMap((component) => {
    const name = `${nameOf(component)}@${component.version}`;
    const found = (component.licenses ?? []).map(({ expression, license }) => expression ?? license?.id ?? license?.name ?? '');
    const own = read[name];
    const licences = found.length === 0 && own !== undefined ? [own] : found;
    if (licences.length === 0) return [`${name} names no licence`];
    return licences.filter((licence) => !isAllowed(licence)).map((licence) => `${name} has the licence ${licence}`);
  });
}

function isAllowed(licence: string): boolean {
  try {
    return satisfies(licence, allowed);
  } catch {
    return false;
  }
}
