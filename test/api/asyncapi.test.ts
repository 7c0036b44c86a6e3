import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import specification from '@asyncapi/specs/schemas/3.0.0-without-$id.json' with { type: 'json' };
import { expect, test } from 'vitest';
import { parse } from 'yaml';

const description = parse(readFileSync(new URL('../../packages/domain/contracts/asyncapi.yaml', import.meta.url), 'utf8')) as object;

test('the description of the topics is AsyncAPI 3.0, as its own schema says', () => {
  const ajv = new Ajv({ strict: false, allErrors: true });
  addFormats.default(ajv);
  const validate = ajv.compile(specification);
  validate(description);
  expect(validate.errors).toBeNull();
  expect(validate({ ...description, channels: { one: { messages: 7 } } })).toBe(false);
});
