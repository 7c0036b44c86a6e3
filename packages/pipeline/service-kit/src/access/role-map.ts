import { type PersonRole, personRoles } from './roles.ts';

/** Roles by provider group, from `group=role,group=role` or a JSON object. Throws for other forms and for machine roles. */
export function parseRoleMap(text: unknown): Map<string, PersonRole> {
  if (typeof text !== 'string') throw new Error('must be group=role,group=role or a JSON object');
  const pairs = text.trimStart().startsWith('{') ? Object.entries(parseObject(text)) : pairsOf(text);
  const roles = new Map(
    pairs.map(([group, given]) => {
      const role = personRoles.find((name) => name === given);
      if (group === '' || role === undefined) throw new Error(`must give each group one of ${personRoles.join(', ')}`);
      return [group, role] as const;
    }),
  );
  if (roles.size < pairs.length) throw new Error('must name each group once');
  return roles;
}

function pairsOf(text: string): [string, string][] {
  const parts = text.split(',').filter((part) => part.trim() !== '');
  return parts.map((part) => {
    const at = part.lastIndexOf('=');
    return [part.slice(0, Math.max(at, 0)).trim(), part.slice(at + 1).trim()];
  });
}

function parseObject(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    throw new Error('is no valid JSON');
  }
}
