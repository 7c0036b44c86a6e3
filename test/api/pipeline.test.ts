import { describePipeline } from '@weir/installation/services';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type PipelineApi, startPipelineApi } from './pipeline-instance.ts';

let api: PipelineApi;
beforeAll(async () => {
  api = await startPipelineApi();
});
afterAll(() => api.stop());

interface Described {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, { operationId: string; responses: object; security: object[] }>>>>;
}

async function describe(): Promise<Described> {
  const answer = await fetch(`${api.url}/openapi.json`);
  expect(answer.headers.get('content-type')).toBe('application/json');
  return (await answer.json()) as Described;
}

test('every operation is described, and its examples are of its schemas', async () => {
  const { openapi, paths } = await describe();
  expect(openapi).toMatch(/^3\.1\./);
  expect(Object.keys(paths)).toEqual(expect.arrayContaining(['/v1/deposits', '/v1/screenings/{screening_id}', '/healthz']));
  for (const { name, method, path, admission, body, answers } of api.operations) {
    const described = paths[path]?.[method.toLowerCase()];
    expect(described?.operationId).toBe(name);
    expect(described?.security).toEqual(admission.roles.map((role) => ({ bearer: [role] })));
    expect(Object.keys(described?.responses ?? {})).toEqual(expect.arrayContaining(answers.map(({ status }) => String(status))));
    for (const { schema, example } of answers) expect([name, schema.safeParse(example).error]).toEqual([name, undefined]);
    expect([name, body?.schema.safeParse(body.example).error]).toEqual([name, undefined]);
  }
});

test('what is described without a database is what the port describes', async () => {
  expect(await describePipeline()).toEqual(await describe());
});

test('no two operations have one name', () => {
  const names = api.operations.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});

test('the page loads only its own files, and all of them are there', async () => {
  const answer = await fetch(`${api.url}/docs`);
  expect(answer.headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self'/);
  const page = await answer.text();
  const files = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, file]) => file ?? '');
  expect(files).toHaveLength(5);
  for (const file of files) {
    expect(file).toMatch(/^\/(docs\/|openapi\.json$)/);
    const found = await fetch(`${api.url}${file}`);
    expect([file, found.status, (await found.text()).length > 0]).toEqual([file, 200, true]);
  }
  for (const { path } of api.operations) expect(page).toContain(path);
});

test('every path refuses other methods and names its own', async () => {
  const paths = new Set([...api.operations.map(({ path }) => path), '/docs', '/openapi.json', '/healthz', '/readyz', '/metrics']);
  for (const path of paths) {
    const answer = await fetch(`${api.url}${path}`, { method: 'PATCH' });
    expect([path, answer.status, answer.headers.get('content-type')]).toEqual([path, 405, 'application/problem+json']);
    expect([path, answer.headers.get('allow')]).toEqual([path, expect.stringMatching(/OPTIONS$/)]);
  }
});
