import { startTestProvider, testAudience, type TestProvider } from '@weir/service-kit/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Installation, makeInstallation } from '../../../test/support/stack/installation.ts';
import { importChainData } from './testing/chain-data.ts';
import { makeFolder, weir } from './testing/weir.ts';

let provider: TestProvider;
let installation: Installation;
let env: NodeJS.ProcessEnv;
beforeAll(async () => {
  provider = await startTestProvider();
  env = {
    WEIR_OIDC_ISSUER: provider.issuer,
    WEIR_OIDC_AUDIENCE: testAudience,
    WEIR_OIDC_ROLE_CLAIM: 'realm_access.roles',
    WEIR_OIDC_ROLE_MAP: 'compliance=reviewer,ops=admin',
  };
  installation = await makeInstallation({ env });
  await installation.start();
  await importChainData(['--data-dir', installation.dataDir]);
});
afterAll(() => Promise.all([installation.remove(), provider.stop()]));

const person = (role: string): Promise<string> => provider.token({ sub: role, realm_access: { roles: [role] } });
const ask = (path: string, token: string, headers: Record<string, string> = {}) =>
  fetch(`${installation.url}${path}`, { headers: { authorization: `Bearer ${token}`, ...headers } });

async function signIn(over: NodeJS.ProcessEnv): Promise<{ code: number | null; found: string[] }> {
  const { code, stdout } = await weir(['doctor', '--json', '--data-dir', installation.dataDir], {
    env: { ...env, WEIR_PORT: new URL(installation.url).port, ...over },
  });
  const { checks } = JSON.parse(stdout) as { checks: { check: string; state: string; detail: string }[] };
  return { code, found: checks.filter(({ check }) => check === 'sign-in').map(({ state, detail }) => `${state}: ${detail}`) };
}

test('a person of the provider reads with their token, and a machine with its own', async () => {
  expect((await ask('/v1/screenings', await person('compliance'))).status).toBe(200);
  expect((await ask('/v1/screenings', installation.token('auditor'))).status).toBe(200);
  expect((await ask('/v1/screenings', await person('none'))).status).toBe(403);
  // Every service enforces the same.
  expect((await ask('/v1/withdrawals/w-1', await person('compliance'))).status).toBe(404);
  const deposit = await fetch(`${installation.url}/v1/deposits`, {
    method: 'POST',
    headers: { authorization: `Bearer ${await person('compliance')}`, 'content-type': 'application/json' },
    body: '{}',
  });
  expect(deposit.status).toBe(403);
});

test('doctor says whom the provider lets in, or what is wrong with it', async () => {
  const { host } = new URL(provider.issuer);
  expect(await signIn({})).toEqual({ code: 0, found: [`ok: people of ${host}, which has 1 key; as reviewer, admin`] });
  expect(await signIn({ WEIR_OIDC_ISSUER: '', WEIR_OIDC_AUDIENCE: '', WEIR_OIDC_ROLE_MAP: '' })).toEqual({
    code: 0,
    found: ['ok: stored tokens alone; no OIDC provider is set'],
  });
  expect(await signIn({ WEIR_OIDC_AUDIENCE: '' })).toEqual({
    code: 1,
    found: ['wrong: setting WEIR_OIDC_AUDIENCE is missing: WEIR_OIDC_ISSUER needs it'],
  });
  expect(await signIn({ WEIR_OIDC_ISSUER: `${provider.issuer}/` })).toEqual({
    code: 1,
    found: ['wrong: the discovery names another issuer'],
  });
});

test('settings that do not go together end the start with one line', async () => {
  const folder = makeFolder();
  const { code, stderr } = await weir(['start', '--port', '0', '--data-dir', folder.path, '--no-sample'], {
    env: { ...env, WEIR_OIDC_ROLE_MAP: '' },
  });
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(/^weir: setting WEIR_OIDC_ROLE_MAP is missing: without it nobody has a role\n$/),
  ]);
  folder.remove();
});

test('after twenty bad tokens the caller is told to wait, whatever it says of where it is; good tokens work, and it is counted', async () => {
  const statuses: number[] = [];
  for (let n = 0; n < 22; n += 1) statuses.push((await ask('/v1/screenings', `bad-${n}`, { 'x-forwarded-for': `198.51.100.${n}` })).status);
  expect(statuses).toEqual([...Array.from({ length: 20 }, () => 401), 429, 429]);
  expect((await ask('/v1/screenings', installation.token('auditor'))).status).toBe(200);
  expect((await ask('/v1/screenings', await person('compliance'))).status).toBe(200);
  const metrics = await (await ask('/metrics', 'none')).text();
  expect(metrics).toContain('weir_auth_failures_total{reason="unknown"} 20');
  expect(metrics).toContain('weir_auth_failures_total{reason="limited"} 2');
});

test('while the provider is away its people are told 503 in time, readyz says so, and machines go on', async () => {
  provider.answer('discovery', () => new Promise<Response>(() => undefined));
  // After a start the keys of the provider are not cached.
  await installation.end();
  await installation.start();
  const answer = await ask('/v1/withdrawals/w-1', await person('compliance'));
  expect([answer.status, await answer.json()]).toEqual([503, expect.objectContaining({ code: 'UNAVAILABLE' })]);
  const ready = await fetch(`${installation.url}/readyz`);
  expect([ready.status, await ready.json()]).toEqual([
    200,
    expect.objectContaining({ warnings: expect.arrayContaining([expect.stringContaining('the OIDC provider cannot be asked')]) }),
  ]);
  expect((await ask('/v1/screenings', installation.token('auditor'))).status).toBe(200);
});
