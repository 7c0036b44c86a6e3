import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ConsoleTier } from './console-flows.ts';
import { openPages, type Pages } from './pages.ts';

/**
 * Expects people to sign in at a real OIDC provider, the same on every tier. Its page takes any password. The login of a person is also the
 * group.
 */
export function expectSignIn(tier: ConsoleTier): void {
  let server: Server;
  let below: Awaited<ReturnType<ConsoleTier['prepare']>> | undefined;
  let running: Pages;

  beforeAll(async () => {
    below = await tier.prepare();
    let handle: (request: unknown, response: unknown) => unknown = () => undefined;
    server = createServer((request, response) => void handle(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    running = await openPages({
      ...below.env,
      WEIR_OIDC_ISSUER: issuer,
      WEIR_OIDC_AUDIENCE: 'weir',
      WEIR_OIDC_ROLE_CLAIM: 'groups',
      WEIR_OIDC_ROLE_MAP: 'approvers=approver',
      WEIR_OIDC_CLIENT_ID: 'weir-console',
      WEIR_OIDC_CLIENT_SECRET: 'a secret: of the test',
      WEIR_OIDC_SCOPES: 'openid profile',
    });
    const provider = new Provider(issuer, {
      clients: [
        {
          client_id: 'weir-console',
          client_secret: 'a secret: of the test',
          redirect_uris: [`${running.installation.url}/sign-in/callback`],
          // A provider takes http for native clients alone.
          application_type: 'native',
        },
      ],
      claims: { openid: ['sub', 'groups'], profile: ['name'] },
      conformIdTokenClaims: false,
      findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id, name: `${id} <b>x</b>`, groups: [id] }) }),
      cookies: { keys: ['of the test'] },
    });
    handle = provider.callback() as typeof handle;
  });
  afterAll(async () => {
    await running?.close();
    server?.closeAllConnections();
    server?.close();
    await below?.close();
  });

  test('administration lists which role each group of the provider gives', async () => {
    const page = await running.open('light');
    await running.visit(page, '/app/administration');
    await running.signIn(page, running.installation.token('auditor'));
    const groups = page.getByRole('region', { name: 'Groups of the provider' });
    await groups.getByText('“groups”').waitFor();
    await groups.getByRole('row', { name: 'approvers approver' }).waitFor();
    await page.context().close();
  });

  /** Of Weir alone: the provider has the same host. */
  async function cookiesOf(page: Page) {
    const all = await page.context().cookies(running.installation.url);
    return all.filter(({ name }) => name.startsWith('weir_')).map(({ name, httpOnly, sameSite }) => [name, httpOnly, sameSite]);
  }

  async function signInAs(login: string) {
    const page = await running.open('light');
    // Its page has a style of another host, which a test must not ask.
    await page.route('https://fonts.googleapis.com/**', (route) => route.abort());
    await running.visit(page, '/app/reviews');
    await page.getByRole('link', { name: 'Sign in at your provider' }).click();
    await page.getByPlaceholder('Enter any login').fill(login);
    await page.getByPlaceholder('and password').fill('any');
    await page.getByRole('button', { name: 'Sign-in' }).click();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.waitForURL(/\/app\/now/);
    return page;
  }

  test('a person signs in at the page of the provider, and has a session alone', async () => {
    const page = await signInAs('approvers');
    await page.getByRole('heading', { name: 'Now' }).waitFor();
    await page.getByText('approvers <b>x</b>').waitFor();
    expect(await cookiesOf(page)).toEqual([['weir_session', true, 'Strict']]);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in to Weir' }).waitFor();
    await page.context().close();
  });

  test('a person without a role has no session, and the page says so', async () => {
    const page = await signInAs('others');
    await page.getByRole('alert').filter({ hasText: 'gives you no role' }).waitFor();
    expect(await cookiesOf(page)).toEqual([]);
    await page.context().close();
  });

  test.each([
    ['without an attempt of this browser', '', undefined],
    ['with the state of another attempt', '?code=x&state=y', Buffer.from('{"state":"a","nonce":"b","verifier":"c"}').toString('base64url')],
  ])('an answer %s signs nobody in', async (_, query, cookie) => {
    const answer = await fetch(`${running.installation.url}/sign-in/callback${query}`, {
      redirect: 'manual',
      headers: cookie === undefined ? {} : { cookie: `weir_sign_in=${cookie}` },
    });
    expect([answer.status, answer.headers.get('location')]).toEqual([302, '/app/now?sign-in=refused']);
    expect(answer.headers.getSetCookie().filter((each) => each.startsWith('weir_session='))).toEqual([]);
  });
}
