import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAmount } from '@weir/chains';
import { parseDocument } from 'yaml';
import { z } from 'zod';

const action = z.enum(['block', 'review', 'allow'], 'must be block, review or allow');
/** Nothing that lacks a level may be allowed, whatever a policy says. */
const held = z.enum(['block', 'review'], 'must be block or review');
const usd = z.string(notDecimal()).refine((text) => parseAmount(text) !== undefined, notDecimal());
const byValue = z.strictObject(
  { review_from_usd: usd, below: action, unknown_value: held },
  'must be an action, or a table of actions by value',
);
const table = z.strictObject({
  Severe: cell(),
  High: cell(),
  Moderate: cell(),
  Low: cell(),
  NO_DATA: cell(),
  UNAVAILABLE: held,
  UNSUPPORTED: held,
  INVALID: held,
});
const schema = z.strictObject({
  version: z.literal(1, 'must be 1'),
  sanctioned_exposure: z.strictObject({ deposit: action, withdrawal: action }),
  deposit: table,
  withdrawal: table,
});

/** One action, or one by the value of the transfer. */
export type Cell = z.infer<typeof action> | z.infer<typeof byValue>;

export interface Policy extends z.infer<typeof schema> {
  /** SHA-256 (hex) of the file's bytes. */
  readonly hash: string;
}

/** A policy file that cannot be used; the message is one line and names the place. */
export class PolicyError extends Error {
  readonly code = 'POLICY_INVALID';
  readonly retriable = false;
}

/** Reads a policy from its text. Throws `PolicyError`. */
export function parsePolicy(text: string): Policy {
  const result = schema.safeParse(readYaml(text));
  if (!result.success) {
    const issue = result.error.issues[0];
    throw new PolicyError(oneLine(`policy is wrong at ${issue?.path.join('.') || 'the top'}: ${issue?.message}`));
  }
  return { ...result.data, hash: createHash('sha256').update(text).digest('hex') };
}

/** The policy of `path`; the default policy when it is empty. Throws `PolicyError`. */
export function loadPolicy(path = ''): Policy {
  const file = path === '' ? join(import.meta.dirname, '..', 'default-policy.yaml') : path;
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    throw new PolicyError(oneLine(`policy ${file} cannot be read: ${(error as NodeJS.ErrnoException).code}`));
  }
  return parsePolicy(decodeUtf8(bytes));
}

/** Strictly and with its byte order mark, or two files of different bytes could read, and hash, the same. */
function decodeUtf8(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new PolicyError('policy is not YAML: it is not UTF-8');
  }
}

function readYaml(text: string): unknown {
  if (!text.isWellFormed()) throw new PolicyError('policy is not YAML: it holds half a character');
  const document = parseDocument(text, { uniqueKeys: true, strict: true });
  // A warning is a part that was read as something else than what is written, such as an unknown tag.
  const fault = document.errors[0] ?? document.warnings[0];
  if (fault !== undefined) throw new PolicyError(oneLine(`policy is not YAML: ${fault.message.split('\n')[0]}`));
  try {
    return document.toJS();
  } catch (error) {
    throw new PolicyError(oneLine(`policy is not YAML: ${(error as Error).message}`));
  }
}

/** Told apart by shape first, so that a fault inside the table is named by its own place. */
function cell(): z.ZodType<Cell> {
  return z.unknown().transform((value, context): Cell => {
    const read = (typeof value === 'string' ? action : byValue).safeParse(value);
    if (read.success) return read.data;
    for (const { path, message } of read.error.issues) context.addIssue({ code: 'custom', path, message });
    return z.NEVER;
  });
}

function notDecimal(): string {
  return 'must be a decimal string such as "1000"';
}

function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ');
}
