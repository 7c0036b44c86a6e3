import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failureCodes, statusOf } from '../failure.ts';
import { startInstance, get, type Instance, type TestService } from '../testing/instance.ts';
import { wellKnownPage } from './paid/discovery.ts';
import { paidOperations } from './paid/operations.ts';
import { taskPage } from './paid/tasks.ts';
import { openApiOf } from '../http/description/openapi.ts';
import type { Description } from '../http/operation.ts';
import { reportPage } from '../reports/routes.ts';
import { sandboxOperations, targetsPage } from './sandbox/operations.ts';
import { analysisOperations } from './standard/analyses.ts';
import { changeOperations } from './standard/changes.ts';
import { priceOperations } from './standard/prices.ts';
import { scoreOperations } from './standard/scores.ts';
import { taskOperations } from './standard/tasks.ts';
import { traceOperations } from './standard/trace.ts';

// Descriptions need none of the dependencies.
const nothing = {} as never;
const pages: readonly Description[] = [
  ...analysisOperations(nothing),
  ...traceOperations(nothing),
  ...scoreOperations(nothing),
  ...taskOperations(nothing),
  ...changeOperations(nothing),
  ...priceOperations(nothing),
  ...sandboxOperations(nothing, nothing),
  targetsPage,
  ...paidOperations(nothing),
  wellKnownPage,
  taskPage,
  reportPage,
];

describe('the description', () => {
  it.each(pages.map((page) => [page.name, page] as const))('of %s has examples that its schemas accept, and a summary', (_, page) => {
    expect(page.request.safeParse(page.example.request).error).toBeUndefined();
    expect(page.answer.safeParse(page.example.answer).error).toBeUndefined();
    expect(page.summary).toMatch(/^[A-Z].*\.$/);
  });

  it('says how a key is given, every refusal, and a limit with its header', () => {
    const { paths } = openApiOf(pages, []) as {
      paths: Record<string, Record<string, { security: unknown; responses: Record<string, object> }>>;
    };
    const labels = paths['/v1/address_labels']?.['get'];
    const create = paths['/v3/risk_score_create_task']?.['post'];
    expect(labels?.security).toEqual([{ header: [] }, { query: [] }]);
    expect(create?.security).toEqual([{ header: [] }, {}]);
    expect(Object.keys(labels?.responses ?? {})).toEqual(['200', '400', '402', '429', '500', '503']);
    expect(Object.keys(create?.responses ?? {})).toEqual(['200', '400', '402', '413', '415', '429', '500', '503']);
    expect(labels?.responses['429']).toHaveProperty('headers.Retry-After');
    expect(paths['/sandbox/targets']?.['get']?.security).toEqual([]);
  });

  it('says that a report is a PDF, and what refuses it', () => {
    const { paths } = openApiOf(pages, []) as {
      paths: Record<string, Record<string, { security: unknown; responses: Record<string, { content: Record<string, unknown> }> }>>;
    };
    const report = paths['/v1/risk_report']?.['get'];
    expect(report?.security).toEqual([]);
    expect(Object.keys(report?.responses ?? {})).toEqual(['200', '403', '500', '503']);
    expect(Object.keys(report?.responses['200']?.content ?? {})).toEqual(['application/pdf']);
    expect(report?.responses['403']).toHaveProperty('content.application/json.schema.properties.msg.enum', [
      'InvalidAccessToken',
      'ExpiredAccessToken',
    ]);
  });

  it('tells every default', () => {
    const { paths } = openApiOf(pages, []) as {
      paths: Record<string, Record<string, { parameters: { name: string; schema: { default?: unknown } }[] }>>;
    };
    const defaults = paths['/v1/transactions_investigation']?.['get']?.parameters.map(({ name, schema }) => [name, schema.default]);
    expect(Object.fromEntries(defaults ?? [])).toEqual({ start_timestamp: 0, type: 'all', page: 1 });
  });

  it('takes further fields of a call', () => {
    const [page] = pages;
    const { paths } = openApiOf(page === undefined ? [] : [{ ...page, extensions: { 'x-note': 'here' } }], []) as {
      paths: Record<string, object>;
    };
    expect(paths['/v1/address_labels']).toHaveProperty('get.x-note', 'here');
  });
});

describe('the pages', () => {
  let service: TestService;
  let instance: Instance;
  beforeAll(async () => {
    ({ service, instance } = await startInstance({ settings: { workers: 0 } }));
  });
  afterAll(() => service.stop());

  it('load nothing from elsewhere, and everything they name', async () => {
    const { body, headers } = await get(`${instance.url}/docs`);
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self';/);
    expect(body).not.toMatch(/<script>|<style|style="|https?:\/\/(?!www\.w3\.org)/);
    const named = [...body.matchAll(/(?:src|href)="([^"]+)"/g)].map((match: RegExpMatchArray) => match[1] ?? '');
    expect(named.length).toBeGreaterThanOrEqual(5);
    for (const path of named) {
      const file = await fetch(instance.url + path);
      expect([path, file.status]).toEqual([path, 200]);
      expect((await file.arrayBuffer()).byteLength).toBeGreaterThan(100);
      const head = await fetch(instance.url + path, { method: 'HEAD' });
      expect([head.status, await head.text()]).toEqual([200, '']);
    }
  });

  it('say the same without JavaScript, and of every failure what to do', async () => {
    const { body } = await get(`${instance.url}/docs`);
    for (const code of failureCodes) expect(body).toContain(`<td><code>${code}</code></td><td>${statusOf(code)}</td>`);
    for (const { method, path } of pages) expect(body).toContain(`<code>${method} ${path}</code>`);
  });
});
