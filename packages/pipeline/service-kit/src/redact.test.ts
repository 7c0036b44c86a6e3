import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { withoutQueryValues } from './index.ts';
import { withoutSecrets } from './redact.ts';

describe('an address', () => {
  test.each([
    ['https://risk.example/v3/query?task_id=1&api_key=sesame', 'https://risk.example/v3/query?task_id=***&api_key=***'],
    ['/v3/query?api_key=sesame', '/v3/query?api_key=***'],
    ['https://h/x?sesame', 'https://h/x?***'],
    ['https://h/x?a=1#sesame', 'https://h/x?a=***'],
    ['https://h/x#access_token=sesame', 'https://h/x'],
    ['postgres://weir:sesame@h:5432/weir', 'postgres://***@h:5432/weir'],
    ['postgres://weir:ses@me@h/weir', 'postgres://***@h/weir'],
    ['postgres://weir:ses/ame@h/weir', 'postgres://***'],
    ['postgres://weir:12/sesame@h/weir', 'postgres://***'],
    ['redis://:sesame@[::1]:6379/0', 'redis://***@[::1]:6379/0'],
    ['a://h/,b://u:sesame@i/', 'a://h/,b://***@i/'],
    ['a://u:sesame@h/,b://u:sesame@i/', 'a://***'],
    ['https://h/x?next=https://u:sesame@i/', 'https://h/x?next=***'],
    ['https://h:8080/@someone', 'https://***'],
    ['https://h/@someone', 'https://h/@someone'],
    ['/healthz', '/healthz'],
  ])('%s', (url, cut) => {
    expect(withoutQueryValues(url)).toBe(cut);
  });
});

describe('a text', () => {
  test.each([
    ['GET /q?api_key=sesame failed', 'GET /q?api_key=*** failed'],
    ['failed (https://h/q?api_key=sesa)me)', 'failed (https://h/q?api_key=***'],
    ['connect "postgres://u:sesame@h/d" refused', 'connect "postgres://***@h/d" refused'],
    ['really? yes', 'really? yes'],
    ['at run (file:///srv/node_modules/@weir/x.ts:12:5)', 'at run (file:///srv/node_modules/@weir/x.ts:12:5)'],
  ])('%s', (text, cut) => {
    expect(withoutSecrets(text)).toBe(cut);
  });
});

test('no query value and no credentials are left of any address', () => {
  const secret = fc.stringMatching(/^[A-Za-z0-9~'()*!$;,:@/?.-]{0,12}SESAME[A-Za-z0-9~'()*!$;,:@/?.-]{0,12}$/);
  const name = fc.stringMatching(/^[a-z_]{1,8}$/);
  const url = fc.record({
    scheme: fc.constantFrom('http', 'https', 'postgres', 'redis'),
    password: fc.option(fc.stringMatching(/^[A-Za-z0-9@!'()*~-]{0,8}SESAME[A-Za-z0-9@!'()*~/-]{0,8}$/)),
    host: fc.constantFrom('h', 'h.example:80', '[::1]:5432', '127.0.0.1'),
    path: fc.constantFrom('', '/', '/a/b', '/@scope/x'),
    query: fc.array(fc.tuple(name, secret), { maxLength: 3 }),
  });
  const text = url.map(({ scheme, password, host, path, query }) => {
    const credentials = password === null ? '' : `user:${password}@`;
    return `${scheme}://${credentials}${host}${path}${query.length > 0 ? '?' : ''}${query.map((pair) => pair.join('=')).join('&')}`;
  });
  fc.assert(
    fc.property(text, (address) => {
      expect(withoutQueryValues(address)).not.toContain('SESAME');
      expect(withoutSecrets(`could not reach "${address}" (${address})`)).not.toContain('SESAME');
    }),
    { numRuns: 500 },
  );
});
