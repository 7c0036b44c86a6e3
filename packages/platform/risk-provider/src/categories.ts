import { readFileSync } from 'node:fs';
import { z } from 'zod';

/** A category of a provider. `risk_type` null: no risk type. */
export interface Category {
  readonly names: readonly string[];
  readonly risk_type: string | null;
}

/** Categories of an installation by lower-case name. They win over those of Weir. */
export type OwnCategories = ReadonlyMap<string, Category>;

const riskTypes = ['sanctioned_entity', 'illicit_activity', 'mixer', 'gambling', 'risk_exchange', 'bridge'] as const;
const file = z.record(z.string().trim().min(1).toLowerCase(), z.enum(riskTypes).nullable());

/** Reads a JSON file of category names with a risk type or null each. Throws an error that names the file. */
export function readOwnCategories(path: string): OwnCategories {
  if (path === '') return new Map();
  try {
    const read = file.parse(JSON.parse(readFileSync(path, 'utf8')));
    return new Map(Object.entries(read).map(([name, risk_type]) => [name, { names: [name], risk_type }]));
  } catch (cause) {
    const why = cause instanceof z.ZodError ? z.prettifyError(cause) : (cause as Error).message;
    throw new Error(`the categories in ${path} cannot be read: ${why}`, { cause });
  }
}
