import type { z } from 'zod';

/** One problem of an input. `detail` is a clause that names the field: "deposit_id is required". */
export interface InputProblem {
  readonly field: string;
  readonly detail: string;
  readonly hint?: string;
}

/** The problems that zod found, in words. `what` names the input: "a deposit". */
export function inputProblems(issues: readonly z.core.$ZodIssue[], what: string): InputProblem[] {
  const found = issues.flatMap((issue): InputProblem[] => {
    if (issue.code === 'unrecognized_keys') return issue.keys.map((field) => ({ field, detail: `${field} is not a field of ${what}` }));
    const field = issue.path.join('.');
    return [{ field, detail: `${field} ${issue.message}` }];
  });
  // Several checks of one field may say the same.
  return [...new Map(found.map((problem) => [problem.detail, problem])).values()];
}

/** The words for an issue whose schema has none of its own. The name of the field goes before them. */
export function inWords(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.input === undefined && (issue.code === 'invalid_type' || issue.code === 'invalid_value')) return 'is required';
  if (issue.code === 'invalid_type') return `must be ${typeNames[issue.expected] ?? issue.expected}`;
  if (issue.code === 'invalid_value') return `must be ${oneOf(issue.values.map(String))}`;
  // Of several forms of a body, the field that names the form.
  if (issue.code === 'invalid_union' && Array.isArray(issue.options)) return `must be ${oneOf(issue.options.map(String))}`;
  if (issue.code === 'invalid_format') return formats[issue.format];
  const isText = 'origin' in issue && issue.origin === 'string';
  if (issue.code === 'too_small') return isText ? 'must not be empty' : `must be at least ${issue.minimum}`;
  if (issue.code === 'too_big') return isText ? `may have at most ${issue.maximum} characters` : `must be at most ${issue.maximum}`;
  return undefined;
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
};

const formats: Readonly<Record<string, string>> = {
  datetime: 'must be a time with its zone (RFC 3339), such as 2026-01-31T09:12:23Z',
  guid: 'must be a UUID',
  base64: 'must be base64 with its padding',
};

function oneOf(values: readonly string[]): string {
  return values.length < 2 ? values.join('') : `${values.slice(0, -1).join(', ')} or ${values.at(-1)}`;
}
