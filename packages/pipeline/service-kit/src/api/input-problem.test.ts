import { expect, test } from 'vitest';
import { z } from 'zod';
import { inputProblems, inWords } from './input-problem.ts';

const problemsOf = (schema: z.ZodType, input: unknown): string[] =>
  inputProblems(schema.safeParse(input, { error: inWords }).error?.issues ?? [], 'a body').map(({ detail }) => detail);

const forms = z.discriminatedUnion('action', [
  z.strictObject({ action: z.literal('add'), name: z.string() }),
  z.strictObject({ action: z.literal('end'), reason: z.string() }),
  z.strictObject({ action: z.literal('withdraw') }),
]);

test.each<[string, z.ZodType, unknown, string[]]>([
  ['a body without the field that names its form', forms, {}, ['action must be add, end or withdraw']],
  ['a body of an unknown form', forms, { action: 'drop' }, ['action must be add, end or withdraw']],
  ['a body of a known form', forms, { action: 'add', text: 'x' }, ['name is required', 'text is not a field of a body']],
  ['a text that is not base64', z.object({ content: z.base64() }), { content: '!!!' }, ['content must be base64 with its padding']],
])('%s is told in words', (_, schema, input, expected) => {
  expect(problemsOf(schema, input)).toEqual(expected);
});
