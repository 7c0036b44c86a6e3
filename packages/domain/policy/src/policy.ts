import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compareAmounts, parseAmount } from '@weir/chains';
import type { Document } from 'yaml';
import { z } from 'zod';
import { windowSchema } from './history.ts';
import { placeOf, type PolicyProblem } from './places.ts';
import { readYaml } from './read-yaml.ts';
import { compileRules, keepPrograms, ruleSchema } from './rules.ts';

const action = z.enum(['block', 'review', 'allow'], 'must be block, review or allow');
/** No policy may allow a missing level, or a sanctioned entity. */
const held = z.enum(['block', 'review'], 'must be block or review');
const usd = z.string(notDecimal()).refine((text) => parseAmount(text) !== undefined, notDecimal());
const tolerance = usd.refine((text) => compareAmounts(parseAmount(text) ?? '0', '1') >= 0, 'must be 1 or more');
const byValue = z
  .strictObject({ review_from_usd: usd, below: action, unknown_value: held }, 'must be an action, or a table of actions by value')
  .refine(({ review_from_usd }) => parseAmount(review_from_usd) !== '0', {
    path: ['below'],
    message: 'is never reached: every known value is reviewed from 0 USD',
  });
const table = z.strictObject({
  Severe: cell(),
  High: cell(),
  Moderate: cell(),
  Low: cell(),
  NO_DATA: noDataCell(),
  UNAVAILABLE: held,
  UNSUPPORTED: held,
  INVALID: held,
});
const name = z.string().regex(/^[a-z][a-z0-9_]{0,39}$/, 'must be lower case letters, digits and _, at most 40');
const rulesShape = {
  // Each window costs a query per decision.
  history: z
    .record(name, windowSchema)
    .refine((windows) => Object.keys(windows).length <= 10, 'must have at most 10 windows')
    .optional(),
  rules: z.array(ruleSchema).max(100, 'must have at most 100 rules').optional(),
};
const schema = z.strictObject({
  version: z.literal(1, 'must be 1'),
  sanctioned_exposure: z.strictObject({ deposit: held, withdrawal: held }),
  deposit: table,
  withdrawal: table,
  value_tolerance: tolerance.optional(),
  price_max_age_days: z.int().min(0).max(30).optional(),
  illicit_value: z.strictObject({ review_from_usd: usd, share_of_transfer: usd, from_usd: usd }).optional(),
  sanctioned_dust_usd: usd.optional(),
  sanctioned_received_usd: usd.optional(),
  ...rulesShape,
});
/** Reports faults of rules beside a wrong table. */
const rulesAlone = z.object(rulesShape);

export type Cell = z.infer<typeof action> | z.infer<typeof byValue>;

/** `keepPrograms` holds the compiled rules. */
export interface Policy extends z.infer<typeof schema> {
  /** SHA-256 (hex) of the file. */
  readonly hash: string;
}

/** The message is one line and names the place of the first fault. */
export class PolicyError extends Error {
  readonly code = 'POLICY_INVALID';
  readonly retriable = false;
  /** In file order; empty when the file could not be read. */
  readonly problems: readonly PolicyProblem[];

  constructor(message: string, problems: readonly PolicyProblem[] = []) {
    super(oneLine(message));
    this.problems = problems;
  }
}

/** Throws `PolicyError`. */
export function parsePolicy(text: string): Policy {
  const { policy, problems } = examine(text);
  if (policy !== undefined) return policy;
  const [first] = problems;
  throw new PolicyError(
    first?.path === 'YAML' ? `policy is not YAML: ${first.message}` : `policy is wrong at ${first?.path}: ${first?.message}`,
    problems,
  );
}

/** Empty: the default policy. Throws `PolicyError`. */
export function loadPolicy(path = ''): Policy {
  return parsePolicy(readPolicy(path));
}

/** Empty: the default policy. Throws `PolicyError`. */
export function readPolicy(path = ''): string {
  const file = path === '' ? join(import.meta.dirname, '..', 'default-policy.yaml') : path;
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    throw new PolicyError(`policy ${file} cannot be read: ${(error as NodeJS.ErrnoException).code}`);
  }
  return decodeUtf8(bytes);
}

function examine(text: string): { policy?: Policy; problems: readonly PolicyProblem[] } {
  const { document, value, problems } = readYaml(text);
  if (problems.length > 0) return { problems };
  const rules = rulesAlone.safeParse(value);
  const { compiled, faults } = rules.success ? compileRules(rules.data) : { compiled: [], faults: [] };
  const wrong = faults.map(
    ({ path, message, hint, start, end }): PolicyProblem => ({
      ...placeOf(document, text, path, undefined, start, end),
      path: path.join('.'),
      message: oneLine(message),
      ...(hint === undefined ? {} : { hint }),
    }),
  );
  const result = schema.safeParse(value);
  if (!result.success) wrong.push(...result.error.issues.flatMap((issue) => toProblems(document, text, issue)));
  if (!result.success || wrong.length > 0) return { problems: inOrder(wrong) };
  const policy: Policy = { ...result.data, hash: createHash('sha256').update(text).digest('hex') };
  keepPrograms(policy, compiled);
  return { policy, problems: [] };
}

function toProblems(document: Document.Parsed, text: string, issue: z.core.$ZodIssue): PolicyProblem[] {
  const keys = issue.code === 'unrecognized_keys' ? issue.keys : [undefined];
  return keys.map((key) => ({
    ...placeOf(document, text, issue.path, key),
    path: issue.path.join('.') || 'the top',
    message: oneLine(key === undefined ? issue.message : `has no place for "${key}"`),
  }));
}

function inOrder(problems: readonly PolicyProblem[]): PolicyProblem[] {
  return problems.toSorted((a, b) => a.line - b.line || a.column - b.column);
}

/** Strict, with the byte order mark: different files must have different hashes. */
function decodeUtf8(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new PolicyError('policy is not YAML: it is not UTF-8');
  }
}

/** Selects by type first, so that a fault in the table names its own place. */
function cell(): z.ZodType<Cell> {
  return z.unknown().transform((value, context): Cell => {
    const read = (typeof value === 'string' ? action : byValue).safeParse(value);
    if (read.success) return read.data;
    for (const { path, message } of read.error.issues) context.addIssue({ code: 'custom', path, message });
    return z.NEVER;
  });
}

/** Without data only values below a limit may be allowed. */
function noDataCell(): z.ZodType<Cell> {
  return cell().refine((value) => value !== 'allow', 'must be block, review, or a table of actions by value: allow needs a limit in USD');
}

function notDecimal(): string {
  return 'must be a decimal string such as "1000"';
}

function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ');
}
