import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Address, NETWORK, OutScript } from '@scure/btc-signer';
import { installOnce } from '../install-once.ts';
import { freePort } from '../stack/ports.ts';
import { supervise } from '../stack/supervisor.ts';

const version = 'v0.24.2';
/** An idle machine takes a minute. */
const buildLimitMs = 600_000;
const simnet = { bech32: 'sb', pubKeyHash: 0x3f, scriptHash: 0x7b, wif: 0x64 };

/** A real node of a chain of its own (simnet of btcd). Its blocks take no work. */
export interface BitcoinChain {
  /** Of a gateway that writes the addresses of its scripts as on the main network, since Weir knows no others. With user and password. */
  readonly url: string;
  rpc(method: string, params: readonly unknown[]): Promise<any>;
  mine(blocks: number): Promise<void>;
  close(): Promise<void>;
}

/** `miner`: script that gets the rewards. */
export async function startBitcoinChain({ miner }: { miner: Uint8Array }): Promise<BitcoinChain> {
  const folder = await installOnce(`btcd-${version}`, build);
  const [data, port, password] = [mkdtempSync(join(tmpdir(), 'weir-btcd-')), await freePort(), randomBytes(16).toString('hex')];
  const rpc = async (method: string, params: readonly unknown[]): Promise<any> => {
    const answer = await fetch(`http://127.0.0.1:${port}`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`test:${password}`).toString('base64')}` },
      body: JSON.stringify({ jsonrpc: '1.0', id: 1, method, params }),
    });
    const { result, error } = (await answer.json()) as { result: any; error: { message: string } | null };
    if (error) throw new Error(`${method}: ${error.message}`);
    return result;
  };
  const btcd = supervise({
    name: 'btcd',
    folder: data,
    program: join(folder, 'btcd'),
    args: [
      '--simnet',
      '--txindex',
      '--notls',
      '--nolisten',
      `--rpclisten=127.0.0.1:${port}`,
      '--rpcuser=test',
      `--rpcpass=${password}`,
      `--configfile=${join(data, 'none.conf')}`,
      `--datadir=${join(data, 'data')}`,
      `--logdir=${join(data, 'logs')}`,
      `--miningaddr=${Address(simnet).encode(OutScript.decode(miner))}`,
    ],
    ready: () =>
      rpc('getblockcount', []).then(
        () => true,
        () => false,
      ),
  });
  await btcd.start();
  const gateway = await startGateway(port);
  return {
    url: `http://test:${password}@127.0.0.1:${gateway.port}`,
    rpc,
    mine: async (blocks) => void (await rpc('generate', [blocks])),
    close: async () => {
      await gateway.close();
      await btcd.remove();
    },
  };
}

async function build(folder: string): Promise<void> {
  await promisify(execFile)('go', ['install', `github.com/btcsuite/btcd@${version}`], {
    env: { ...process.env, GOBIN: folder },
    timeout: buildLimitMs,
  });
}

async function startGateway(port: number): Promise<{ port: number; close(): Promise<void> }> {
  const pass = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const headers = { authorization: request.headers.authorization ?? '' };
    const answer = await fetch(`http://127.0.0.1:${port}`, { method: 'POST', headers, body });
    const text = JSON.stringify(JSON.parse(await answer.text(), (_key, value) => withMainAddresses(value)));
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text);
  };
  const server = createServer((request, response) => {
    void pass(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function withMainAddresses(value: any): unknown {
  if (typeof value !== 'object' || value === null || !Array.isArray(value.addresses) || typeof value.hex !== 'string') return value;
  const address = Address(NETWORK).encode(OutScript.decode(Buffer.from(value.hex, 'hex')));
  return { ...value, address, addresses: [address] };
}
