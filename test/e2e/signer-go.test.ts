import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WeirClient } from '@weir/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startWithUpstream, type WithUpstream } from './with-upstream.ts';

const hasGo = spawnSync('go', ['version']).status === 0;
const withGo = describe.skipIf(!hasGo && process.env['CI'] === undefined);
const sources = join(import.meta.dirname, '..', '..', 'packages', 'sdk', 'permit', 'signer-go');
const terms = { withdrawal_id: 'go-1', chain: 'ethereum', coin: 'ETH', to_address: `0x${'2a'.repeat(20)}`, amount: '1.5' };

withGo('the sample signer in Go, at a running gate', () => {
  let running: WithUpstream;
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'weir-signer-'));
    execFileSync('go', ['build', '-o', join(folder, 'signer'), '.'], { cwd: sources, stdio: 'pipe' });
    running = await startWithUpstream();
    // On a machine that is new to Go it compiles the standard library, too.
  }, 600_000);
  afterAll(async () => {
    await running.close();
    rmSync(folder, { recursive: true });
  });

  const sign = (permit: string, wanted: object): Promise<string> =>
    new Promise((resolve) => {
      const env = { GATE_URL: running.installation.url, GATE_TOKEN: running.installation.token('gate') };
      const child = execFile(join(folder, 'signer'), ['sign'], { env }, (_, stdout, stderr) => resolve(stdout + stderr));
      child.stdin?.end(JSON.stringify({ permit, terms: wanted }));
    });

  test('signs what the gate allowed, once, and nothing else', async () => {
    const gate = new WeirClient({ baseUrl: running.installation.url, token: running.installation.token('gate') });
    const { withdrawal_id, coin, to_address, amount } = terms;
    const { permit = '' } = await gate.requestWithdrawal({ withdrawal_id, coin, to_address, amount }, { waitMs: 30_000 });
    expect(await sign(permit, { ...terms, amount: '15' })).toBe('signer: not signed: MISMATCH amount\n');
    expect(await sign(permit.slice(0, -6) + 'AAAAAA', terms)).toMatch(/^signer: not signed: (BAD_SIGNATURE|MALFORMED) \n$/);
    expect(await sign(permit, terms)).toBe('redeemed: sign and send\n');
    expect(await sign(permit, terms)).toMatch(/^signer: not signed: HTTP 409 [A-Z_]+\n$/);
  });
});
