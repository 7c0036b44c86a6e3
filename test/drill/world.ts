import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { setTimeout as delay } from 'node:timers/promises';
import { type ListServer, startListServer } from '@weir/chain-import/testing';
import { screeningId } from '@weir/contracts';
import { readPolicy } from '@weir/policy';
import { connectToRunning, openPool } from '@weir/postgres';
import { type Script, startUpstream, type Upstream } from '@weir/risk-client/testing';
import type { OpenPipeline } from '@weir/service-kit';
import { weir } from '../../packages/cli/src/testing/weir.ts';
import { openRunning } from '../chaos/embedded.ts';
import { type Installation, makeInstallation } from '../support/stack/installation.ts';
import { freePort } from '../support/stack/ports.ts';
import { type Prometheus, startPrometheus } from '../support/stack/prometheus.ts';
import { address } from './address.ts';
import { type FollowedChain, startFollowedChain } from './chain.ts';
import { hasten } from './hasten.ts';
import { repeat } from './repeat.ts';

const root = join(import.meta.dirname, '..', '..');

/** An installation with all that it depends on, under load, and the Prometheus that watches it. */
export interface World {
  readonly installation: Installation;
  /** Decides. */
  readonly upstream: Upstream;
  /** Is compared. */
  readonly second: Upstream;
  /** Followed. */
  readonly chain: FollowedChain;
  /** Of the publisher of a list, who answers 404 at first. */
  readonly list: ListServer;
  readonly policyFile: string;
  readonly priceFile: string;
  /** Where checkpoints of the audit log are kept. No folder can be made here while there is a file. */
  readonly anchorFile: string;
  readonly backupFolder: string;
  readonly prometheus: Prometheus;
  /** Read at each start. */
  readonly env: Record<string, string>;
  /** Of the OIDC provider, where nobody answers. */
  readonly issuer: string;
  /** Whether the receiver of webhooks answers with 500, by the body. */
  refuses: (body: string) => boolean;
  /** How the risk API answers about an address from now on; others are Low. */
  readonly scripts: Map<string, Script>;
  /** Answers by `scripts`. */
  readonly usual: (subject: string) => Script;
  /** Posts so many deposits, of a new address each or all of this one. */
  readonly deposit: (count: number, from?: string) => Promise<void>;
  /** Asks the HTTP API with the token of a role, or of a person. */
  readonly ask: (token: string, method: string, path: string, body?: object) => Promise<{ readonly status: number; readonly body: any }>;
  /** Requests a withdrawal to this address. */
  readonly withdraw: (to: string) => Promise<{ readonly id: string; readonly screening: string }>;
  /** A withdrawal that waits for a person. */
  readonly hold: () => Promise<{ readonly screening: string }>;
  /** One person allows a held transfer, and another approves that. */
  readonly allow: (screening: string) => Promise<void>;
  /** Waits until the query finds a row. */
  readonly until: (what: string, query: string) => Promise<void>;
  readonly untilSo: typeof untilSo;
  /** As somebody who has the database. */
  readonly inDatabase: <T>(work: (pipeline: OpenPipeline) => Promise<T>) => Promise<T>;
  /** A session locks the table against changes, and forgets it. Resolves with what ends the session. */
  readonly lock: (table: string) => Promise<() => Promise<void>>;
  /** `more`: settings over those of the installation. */
  readonly weir: (args: readonly string[], more?: Readonly<Record<string, string>>) => Promise<Said>;
  /** A file in the folder of the drill. */
  readonly file: (name: string, text: string) => string;
  close(): Promise<void>;
}

interface Said {
  readonly code: number | null;
  readonly stdout: string;
  readonly said: string;
}

const loadEveryMs = 500;
const untilLimitMs = 120_000;

/** Polls; rejects after two minutes. */
async function untilSo(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + untilLimitMs;
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`${what} did not come in ${untilLimitMs / 1_000} s`);
    await delay(100);
  }
}

/** `times`: how many times faster than in operation the alerts are. */
export async function openWorld(times: number): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'weir-drill-'));
  const file = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
  const [upstream, second, chain, list] = await Promise.all([startUpstream(), startUpstream(), startFollowedChain(), startListServer()]);
  // The risk API tells which scores have changed.
  upstream.change();
  const scripts: World['scripts'] = new Map();
  const usual: World['usual'] = (subject) => scripts.get(subject) ?? {};
  upstream.answer(usual);
  const issuer = `http://127.0.0.1:${await freePort()}`;
  const state: Pick<World, 'refuses'> = { refuses: () => false };
  const receiver = await listen((body) => state.refuses(body));
  const policyFile = file('policy.yaml', readPolicy());
  const priceFile = file('prices.csv', 'coin,date,usd\nETH-BASE,2020-01-01,130\n');
  const anchorFile = file('anchors', '');
  const shortened = (ms: number): string => String(Math.round(ms / times));
  const env: Record<string, string> = {
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
    WEIR_CHAIN_NODES: `base=${chain.url}`,
    WEIR_CHAIN_FIRST_BLOCKS: 'base=1',
    WEIR_CHAIN_CONFIRMATIONS: 'base=1',
    WEIR_CHAIN_POLL_MS: '200',
    WEIR_NODE_REQUESTS_PER_SECOND: '1000',
    WEIR_REQUIRED_CHAINS: 'bsc',
    WEIR_LISTS: 'ofac-sdn',
    WEIR_LIST_URLS: `ofac-sdn=${list.url}`,
    WEIR_PRICE_SOURCE: priceFile,
    WEIR_AUDIT_ANCHORS: pathToFileURL(anchorFile).href,
    // A key that somebody inserts is found at the next step of the rotation, a twentieth of this.
    WEIR_PERMIT_KEY_ROTATION_MS: '100000',
    // Intervals and age limits of the services are divided as the times of the alerts are.
    WEIR_CHAIN_MAX_LAG_MS: shortened(300_000),
    WEIR_LIST_MAX_AGE_MS: shortened(300_000),
    WEIR_PRICES_EVERY_MS: shortened(600_000),
    WEIR_AUDIT_ANCHOR_MS: shortened(600_000),
    WEIR_WEBHOOK_RETRY_DELAYS_S: String(Math.round(800 / times)),
  };
  const installation = await makeInstallation({ env });
  const backupFolder = join(installation.dataDir, 'backup');
  env['WEIR_BACKUP_DIR'] = backupFolder;
  const closeParts = async (): Promise<void> => {
    await installation.remove();
    await Promise.all([upstream.close(), second.close(), chain.close(), list.stop()]);
    receiver.closeAllConnections();
    await new Promise((resolve) => receiver.close(resolve));
    rmSync(folder, { recursive: true, force: true });
  };
  const rules = file('rules.yml', hasten(readFileSync(join(root, 'deploy', 'prometheus', 'rules.yml'), 'utf8'), times));
  const prometheus = await installation
    .start()
    .then(() =>
      startPrometheus(
        [
          { url: installation.url, service: 'withdrawal-gate' },
          { url: installation.riskUrl, service: 'risk-api' },
        ],
        rules,
      ),
    )
    .catch(async (error: unknown) => {
      await closeParts();
      throw error;
    });
  let last = 0;
  const ask: World['ask'] = async (token, method, path, body) => {
    const answer = await fetch(`${installation.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', prefer: 'wait=0' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: await answer.json() };
  };
  const deposit: World['deposit'] = async (count, from) => {
    for (let left = count; left > 0; left -= 1) {
      last += 1;
      await ask(installation.token('ingest'), 'POST', '/v1/deposits', {
        deposit_id: `drill-${last}`,
        coin: 'ETH',
        amount: '1',
        from_address: from ?? address('1', last),
        to_address: address('c', 0),
      }).catch(() => undefined);
    }
  };
  const withdraw: World['withdraw'] = async (to) => {
    last += 1;
    const id = `drill-${last}`;
    const { status } = await ask(installation.token('gate'), 'POST', '/v1/withdrawals', {
      withdrawal_id: id,
      coin: 'ETH',
      amount: '1',
      to_address: to,
    });
    if (status >= 300) throw new Error(`a withdrawal was answered with ${status}`);
    return { id, screening: screeningId('withdrawal', id) };
  };
  const approver = installation.addPerson('approver', 'Ben');
  const allow: World['allow'] = async (screening) => {
    const path = `/v1/reviews/${screening}`;
    const { body } = await ask(installation.token('reviewer'), 'POST', `${path}/resolutions`, { action: 'allow', reason: 'It is ours.' });
    const approval = { resolution_id: body.resolution_id, approve: true };
    const { status } = await ask(await approver, 'POST', `${path}/approvals`, approval);
    if (status !== 200) throw new Error(`an approval was answered with ${status}`);
  };
  const inDatabase: World['inDatabase'] = async (work) => {
    const pipeline = await openRunning(installation);
    try {
      return await work(pipeline);
    } finally {
      await pipeline.close();
    }
  };
  const until: World['until'] = (what, query) =>
    inDatabase(({ pool }) => untilSo(what, async () => (await pool.query(query)).rows.length > 0));
  let held = 0;
  const hold: World['hold'] = async () => {
    held += 1;
    const to = address('b', held);
    scripts.set(to, { data: { score: 80, risk_level: 'High', detail_list: ['Suspicious'] } });
    const { screening } = await withdraw(to);
    await until('the review', `SELECT FROM console.screenings WHERE screening_id = '${screening}' AND action = 'review'`);
    return { screening };
  };
  const lock: World['lock'] = async (table) => {
    const pool = openPool({ url: connectToRunning(installation.dataDir) ?? '', max: 1 });
    const client = await pool.connect();
    await client.query(`SET idle_in_transaction_session_timeout = 0; BEGIN; LOCK TABLE ${table} IN EXCLUSIVE MODE`);
    return async () => {
      await client.query('ROLLBACK');
      client.release();
      await pool.end();
    };
  };
  const endLoad = repeat(loadEveryMs, () => deposit(1));
  return Object.assign(state, {
    installation,
    upstream,
    second,
    chain,
    list,
    policyFile,
    priceFile,
    anchorFile,
    backupFolder,
    prometheus,
    env,
    issuer,
    scripts,
    usual,
    deposit,
    ask,
    withdraw,
    hold,
    allow,
    until,
    untilSo,
    inDatabase,
    lock,
    file,
    weir: async (args: readonly string[], more: Readonly<Record<string, string>> = {}) => {
      const own = { ...env, WEIR_URL: installation.url, WEIR_TOKEN: installation.token('admin'), WEIR_DATA_DIR: installation.dataDir };
      const { code, stdout, stderr } = await weir(args, { env: { ...own, ...more }, cwd: folder });
      return { code, stdout, said: `${stdout}${stderr}` };
    },
    close: async () => {
      await endLoad();
      await prometheus.stop();
      await closeParts();
    },
  });
}

async function listen(refuses: (body: string) => boolean): Promise<Server> {
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += String(chunk)));
    request.once('end', () => response.writeHead(refuses(body) ? 500 : 200).end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}
