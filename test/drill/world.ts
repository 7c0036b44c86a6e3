import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { readPolicy } from '@weir/policy';
import { startUpstream, type Upstream } from '@weir/risk-client/testing';
import { weir } from '../../packages/cli/src/testing/weir.ts';
import { type Installation, makeInstallation } from '../support/stack/installation.ts';
import { freePort } from '../support/stack/ports.ts';
import { type Prometheus, startPrometheus } from '../support/stack/prometheus.ts';
import { hasten } from './hasten.ts';

const root = join(import.meta.dirname, '..', '..');

/** An installation with all that it depends on, under load, and the Prometheus that watches it. */
export interface World {
  readonly installation: Installation;
  /** Decides. */
  readonly upstream: Upstream;
  /** Is compared. */
  readonly second: Upstream;
  readonly policyFile: string;
  readonly prometheus: Prometheus;
  /** Of the OIDC provider, where nobody answers. */
  readonly issuer: string;
  /** The status that the receiver of webhooks answers with from now on. */
  webhookStatus: number;
  /** Posts so many deposits, of a new address each. */
  readonly deposit: (count: number) => Promise<void>;
  readonly weir: (args: readonly string[]) => Promise<{ readonly code: number | null; readonly stdout: string; readonly said: string }>;
  /** A file in the folder of the drill. */
  readonly file: (name: string, text: string) => string;
  close(): Promise<void>;
}

const loadEveryMs = 500;

/** `times`: how many times faster than in operation the alerts are. */
export async function openWorld(times: number): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'weir-drill-'));
  const file = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
  const [upstream, second] = await Promise.all([startUpstream(), startUpstream()]);
  const issuer = `http://127.0.0.1:${await freePort()}`;
  const state = { webhookStatus: 200 };
  const receiver = await listen(() => state.webhookStatus);
  const policyFile = file('policy.yaml', readPolicy());
  const env = {
    WEIR_UPSTREAM_URL: upstream.url,
    WEIR_UPSTREAM_API_KEY: upstream.apiKey,
    WEIR_UPSTREAM_PER_SECOND: '50',
    WEIR_UPSTREAM_PER_DAY: '1500',
    WEIR_UPSTREAM_POLL_MS: '100',
    WEIR_SECOND_ROLE: 'shadow',
    WEIR_SECOND_PROVIDER: 'specified',
    WEIR_SECOND_URL: second.url,
    WEIR_SECOND_API_KEY: second.apiKey,
    WEIR_POLICY_FILE: policyFile,
    WEIR_WEBHOOK_URL: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`,
    WEIR_WEBHOOK_SECRETS: `whsec_${Buffer.alloc(24, 7).toString('base64')}`,
    WEIR_OIDC_ISSUER: issuer,
    WEIR_OIDC_AUDIENCE: 'weir',
    WEIR_OIDC_ROLE_MAP: 'approvers=approver',
  };
  const installation = await makeInstallation({ env });
  const closeParts = async (): Promise<void> => {
    await installation.remove();
    await Promise.all([upstream.close(), second.close()]);
    receiver.closeAllConnections();
    await new Promise((resolve) => receiver.close(resolve));
    rmSync(folder, { recursive: true, force: true });
  };
  const rules = file('rules.yml', hasten(readFileSync(join(root, 'deploy', 'prometheus', 'rules.yml'), 'utf8'), times));
  const prometheus = await installation
    .start()
    .then(() =>
      startPrometheus(
        [installation.url, installation.riskUrl].map((url) => new URL(url).host),
        rules,
      ),
    )
    .catch(async (error: unknown) => {
      await closeParts();
      throw error;
    });
  let last = 0;
  const deposit = async (count: number): Promise<void> => {
    for (let left = count; left > 0; left -= 1) {
      last += 1;
      await fetch(`${installation.url}/v1/deposits`, {
        method: 'POST',
        headers: { authorization: `Bearer ${installation.token('ingest')}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          deposit_id: `drill-${last}`,
          coin: 'ETH',
          amount: '1',
          from_address: `0x${last.toString(16).padStart(40, '1')}`,
          to_address: `0x${'c'.repeat(40)}`,
        }),
      }).catch(() => undefined);
    }
  };
  const stop = new AbortController();
  const load = (async () => {
    while (!stop.signal.aborted) {
      await deposit(1);
      await delay(loadEveryMs, undefined, { signal: stop.signal }).catch(() => undefined);
    }
  })();
  return Object.assign(state, {
    installation,
    upstream,
    second,
    policyFile,
    prometheus,
    issuer,
    deposit,
    file,
    weir: async (args: readonly string[]) => {
      const own = { ...env, WEIR_URL: installation.url, WEIR_TOKEN: installation.token('admin'), WEIR_DATA_DIR: installation.dataDir };
      const { code, stdout, stderr } = await weir(args, { env: own });
      return { code, stdout, said: `${stdout}${stderr}` };
    },
    close: async () => {
      stop.abort();
      await load;
      await prometheus.stop();
      await closeParts();
    },
  });
}

async function listen(status: () => number): Promise<Server> {
  const server = createServer((request, response) => {
    request.resume();
    request.once('end', () => response.writeHead(status()).end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}
