import { expect, test } from 'vitest';
import { pageOf } from './provider-pages.ts';

test.each(['/app/reviews', '/app/screenings/1?state=open&sort=due', '/app/../app/now'])('leads back to the page %s', (to) => {
  expect(pageOf(to)).toBe(to.replace('/app/../', '/'));
});

test.each([
  undefined,
  '',
  'https://other.example/app/now',
  '//other.example/app/now',
  '/\\other.example/app/now',
  '\\\\other.example/app/now',
  '/\t/other.example/app/now',
  '/app/..//other.example/app/now',
  'javascript:alert(1)',
  'http://console.invalid:81/app/now',
  '/v1/session',
  '/sign-in',
  `/app/${'x'.repeat(2_000)}`,
])('leads nowhere else: %s', (to) => {
  expect(pageOf(to)).toBe('/app/now');
});
