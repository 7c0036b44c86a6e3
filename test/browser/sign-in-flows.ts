import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connectToRunning, openPool } from '@weir/postgres';
import { Provider } from 'oidc-provider';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectClean, expectCleanPage, hostile, limitMs, openPages, type Pages, phoneSize, signOut } from './pages.ts';
import type { Tier } from './tiers.ts';

/**
 * Expects people to sign in at a real OIDC provider, the same on every tier. Its page takes any password. The login of a person is also the
 * group.
 */
export function expectSignIn(tier: Tier): void {
  let server: Server;
  let below: Awaited<ReturnType<Tier['prepare']>> | undefined;
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
      WEIR_OIDC_ROLE_MAP: JSON.stringify({ approvers: 'approver', [hostile]: 'auditor' }),
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
      // Also of a client with a secret.
      pkce: { required: () => true },
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
    await groups.getByRole('row', { name: `${hostile} auditor` }).waitFor();
    await page.getByRole('region', { name: 'Settings in force' }).getByText('WEIR_OIDC_ROLE_MAP').waitFor();
    await expectCleanPage(page, 'groups of the provider');
    await page.context().close();
  });

  test('a person of a group with markup in its name gets its role, and no page shows it as markup', async () => {
    const page = await signInAs(hostile);
    await page.getByText(`${hostile} <b>x</b>`, { exact: true }).waitFor();
    for (const view of ['/app/screenings', '/app/administration', '/app/audit']) {
      await running.visit(page, view);
      await expectClean(page, view);
    }
    await signOut(page);
    await page.getByRole('heading', { name: 'Sign in to Weir' }).waitFor();
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
    await running.visit(page, '/app/screenings?level=High');
    await page.getByRole('link', { name: 'Sign in at your provider' }).click();
    await page.getByPlaceholder('Enter any login').fill(login);
    await page.getByPlaceholder('and password').fill('any');
    await page.getByRole('button', { name: 'Sign-in' }).click();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.waitForURL(/\/app\//);
    return page;
  }

  test('a person signs in at the page of the provider, and has a session alone', async () => {
    const page = await signInAs('approvers');
    await page.getByRole('heading', { name: 'Screenings' }).waitFor();
    expect(new URL(page.url()).search).toBe('?level=High');
    await page.getByText('approvers <b>x</b>').waitFor();
    expect(await cookiesOf(page)).toEqual([['weir_session', true, 'Strict']]);
    await signOut(page);
    await page.getByRole('heading', { name: 'Sign in to Weir' }).waitFor();
    await page.context().close();
  });

  test('a person is warned before a session ends that nobody uses, and stays', async () => {
    const page = await signInAs('approvers');
    await page.getByRole('heading', { name: 'Screenings' }).waitFor();
    const pool = openPool({ url: connectToRunning(running.installation.dataDir) ?? expect.fail('the database does not run'), max: 1 });
    /** Seconds until it ends. */
    const use = async (at: string): Promise<number> => {
      const { rows } = await pool.query<{ left_s: number }>(
        `UPDATE console.sessions SET used_at = ${at} WHERE caller_id LIKE 'oidc-%' RETURNING extract(epoch FROM used_at - now())::int + 1800 AS left_s`,
      );
      return rows[0]?.left_s ?? expect.fail('there is no session');
    };
    // As a minute after the last input, when the page is looked at again.
    const requests = (url: URL): boolean => url.pathname.startsWith('/v1/');
    await page.route(requests, (route) => route.continue({ headers: { ...route.request().headers(), 'weir-unattended': 'true' } }));
    const warning = page.getByRole('dialog', { name: 'Are you still here?' });
    await expect
      .poll(
        async () => {
          // Again and again: a request from before may still be under way.
          await use(`now() - interval '29 minutes'`);
          await page.evaluate(`window.dispatchEvent(new Event('visibilitychange'))`);
          return warning.isVisible();
        },
        { timeout: limitMs, interval: 500 },
      )
      .toBe(true);
    await expectCleanPage(page, 'the warning before a session ends');
    expect(await use('used_at')).toBeLessThanOrEqual(60);
    await use(`now() - interval '29 minutes'`);
    await page.unroute(requests);
    await warning.getByRole('button', { name: 'Stay signed in' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Enter');
    await warning.waitFor({ state: 'detached' });
    expect(await use('used_at')).toBeGreaterThan(1_700);
    await pool.end();
    await page.context().close();
  });

  test('a person is warned before a session reaches its longest time, and goes on until it does', async () => {
    const page = await signInAs('approvers');
    await page.getByRole('heading', { name: 'Screenings' }).waitFor();
    const pool = openPool({ url: connectToRunning(running.installation.dataDir) ?? expect.fail('the database does not run'), max: 1 });
    const endIn = async (left: string): Promise<void> => {
      await pool.query(
        `UPDATE console.sessions SET begun_at = begun_at - interval '12 hours', ends_at = clock_timestamp() + interval '${left}' WHERE caller_id LIKE 'oidc-%'`,
      );
      await page.evaluate(`window.dispatchEvent(new Event('visibilitychange'))`);
    };
    await endIn('100 seconds');
    const warning = page.getByRole('dialog', { name: 'Your session ends soon' });
    await warning.getByText(/ends in (1 min|9\d s|100 s)/).waitFor();
    await expectCleanPage(page, 'the warning before a session reaches its longest time');
    await warning.getByRole('button', { name: 'Go on until then' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Enter');
    await warning.waitFor({ state: 'detached' });
    // It is told once, also when the session is read again. A dialog is noted, however short it is open.
    await page.evaluate(`
      window.dialogs = [];
      new MutationObserver(() => { for (const each of document.querySelectorAll('[role=dialog]')) window.dialogs.push(each.textContent); })
        .observe(document.body, { childList: true, subtree: true });`);
    const [, answer] = await Promise.all([
      page.evaluate(`window.dispatchEvent(new Event('visibilitychange'))`),
      page.waitForResponse((of) => new URL(of.url()).pathname === '/v1/session'),
    ]);
    expect(((await answer.json()) as { absolute: { left_ms: number } }).absolute.left_ms).toBeLessThanOrEqual(100_000);
    // The page has drawn what it was answered.
    await page.evaluate('fetch("/healthz").then(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))');
    await page.getByRole('heading', { name: 'Screenings' }).waitFor();
    expect(await page.evaluate('window.dialogs')).toEqual([]);
    await endIn('0 seconds');
    await page.getByRole('heading', { name: 'Sign in to Weir' }).waitFor();
    await pool.end();
    await page.context().close();
  });

  test('a person without a role has no session, and the page says so', async () => {
    const page = await signInAs('others');
    await page.getByRole('alert').filter({ hasText: 'gives you no role' }).waitFor();
    expect(await cookiesOf(page)).toEqual([]);
    // A person who then signs in with a token sees the page that they asked for first.
    expect(new URL(page.url()).search).toBe('?level=High&sign-in=no_role');
    await running.signIn(page, running.installation.token('auditor'));
    await page.getByRole('heading', { name: 'Screenings' }).waitFor();
    await page.waitForURL(({ search }) => search === '?level=High');
    await page.context().close();
  });

  test('axe finds nothing on the page to sign in, light, dark and on a phone', async () => {
    for (const scheme of ['light', 'dark'] as const) {
      const page = await running.open(scheme);
      await running.visit(page, '/app/now?sign-in=refused');
      await page.getByRole('alert').waitFor();
      await expectCleanPage(page, 'the page to sign in');
      await page.setViewportSize(phoneSize);
      await expectCleanPage(page, 'the page to sign in, on a phone');
      await page.context().close();
    }
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
