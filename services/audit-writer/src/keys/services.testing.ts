import { createPublicKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A key management service with one Ed25519 key, with the requests and answers of its public documentation. */
export interface KeyService {
  /** For `WEIR_AUDIT_KMS_KEYS`. */
  readonly address: (name: string) => string;
  readonly vaultToken: string;
  /** Answers 503 from now on. */
  breakDown(): void;
  mend(): void;
  /** Signs with another key, and still names the first. */
  replaceKey(): void;
  close(): Promise<void>;
}

interface Served {
  readonly port: number;
  close(): Promise<void>;
}

type Respond = (request: IncomingMessage, body: string) => { status?: number; json: unknown };

class OneKey {
  readonly first = generateKeyPairSync('ed25519').privateKey;
  current: KeyObject = this.first;
  isBroken = false;

  get der(): Buffer {
    return createPublicKey(this.first).export({ format: 'der', type: 'spki' });
  }

  sign(base64: string): string {
    return sign(null, Buffer.from(base64, 'base64'), this.current).toString('base64');
  }

  /** The parts that all services share. */
  service(served: Served, own: Pick<KeyService, 'address' | 'vaultToken'>): KeyService {
    return {
      ...own,
      breakDown: () => void (this.isBroken = true),
      mend: () => void (this.isBroken = false),
      replaceKey: () => void (this.current = generateKeyPairSync('ed25519').privateKey),
      close: () => served.close(),
    };
  }
}

const refused = { status: 400, json: { message: 'refused' } };

/** AWS KMS, JSON protocol: `GetPublicKey` and `Sign`. */
export async function awsService(): Promise<KeyService> {
  const key = new OneKey();
  const credentials = { id: randomBytes(8).toString('hex'), secret: randomBytes(16).toString('hex') };
  process.env['AWS_ACCESS_KEY_ID'] = credentials.id;
  process.env['AWS_SECRET_ACCESS_KEY'] = credentials.secret;
  const served = await serve(key, (request, body) => {
    const given = JSON.parse(body) as Record<string, string>;
    const isSigned = request.headers.authorization?.startsWith(`AWS4-HMAC-SHA256 Credential=${credentials.id}/`) === true;
    if (!isSigned || given['KeyId'] !== 'alias/weir-audit') return refused;
    if (request.headers['x-amz-target'] === 'TrentService.GetPublicKey') return { json: { PublicKey: key.der.toString('base64') } };
    if (given['SigningAlgorithm'] !== 'ED25519_SHA_512' || given['MessageType'] !== 'RAW') return refused;
    return { json: { Signature: key.sign(given['Message'] ?? '') } };
  });
  return key.service(served, {
    address: (name) => `aws-kms://eu-central-1/alias/weir-audit?endpoint=http://127.0.0.1:${served.port}#${name}`,
    vaultToken: '',
  });
}

/** Google Cloud KMS over REST, and the token service of a workload identity. */
export async function gcpService(): Promise<KeyService> {
  const key = new OneKey();
  const folder = mkdtempSync(join(tmpdir(), 'weir-gcp-'));
  const token = randomBytes(16).toString('hex');
  const version = 'projects/p/locations/global/keyRings/r/cryptoKeys/k/cryptoKeyVersions/1';
  const served = await serve(key, (request, body) => {
    if (request.url === '/token') return { json: { access_token: token, token_type: 'Bearer', expires_in: 3_600, issued_token_type: 'x' } };
    if (request.headers.authorization !== `Bearer ${token}`) return { status: 401, json: {} };
    if (request.url === `/v1/${version}/publicKey`)
      return { json: { algorithm: 'EC_SIGN_ED25519', pem: createPublicKey(key.first).export({ format: 'pem', type: 'spki' }) } };
    if (request.url !== `/v1/${version}:asymmetricSign`) return refused;
    return { json: { signature: key.sign((JSON.parse(body) as { data: string }).data) } };
  });
  const subject = join(folder, 'subject');
  writeFileSync(subject, randomBytes(16).toString('hex'));
  writeFileSync(
    join(folder, 'credentials.json'),
    JSON.stringify({
      type: 'external_account',
      audience: '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/p',
      subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
      token_url: `http://127.0.0.1:${served.port}/token`,
      credential_source: { file: subject },
    }),
  );
  process.env['GOOGLE_APPLICATION_CREDENTIALS'] = join(folder, 'credentials.json');
  const service = key.service(served, {
    address: (name) => `gcp-kms://${version}?endpoint=http://127.0.0.1:${served.port}#${name}`,
    vaultToken: '',
  });
  return {
    ...service,
    close: async () => {
      await service.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** The transit engine of Vault. The key was rotated twice. */
export async function vaultService(): Promise<KeyService> {
  const key = new OneKey();
  const token = randomBytes(16).toString('hex');
  const raw = key.der.subarray(-32).toString('base64');
  const served = await serve(key, (request, body) => {
    if (request.headers['x-vault-token'] !== token) return { status: 403, json: { errors: ['permission denied'] } };
    const keys = { 1: { public_key: randomBytes(32).toString('base64') }, 2: { public_key: raw } };
    if (request.url === '/v1/team/transit/keys/weir-audit') return { json: { data: { type: 'ed25519', latest_version: 2, keys } } };
    const given = JSON.parse(body) as { input: string; key_version: number };
    if (request.url !== '/v1/team/transit/sign/weir-audit' || given.key_version !== 2) return refused;
    return { json: { data: { signature: `vault:v2:${key.sign(given.input)}` } } };
  });
  return key.service(served, {
    address: (name) => `vault+http://127.0.0.1:${served.port}/team/transit/weir-audit#${name}`,
    vaultToken: token,
  });
}

async function serve(key: OneKey, respond: Respond): Promise<Served> {
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { status = 200, json } = key.isBroken ? { status: 503, json: {} } : respond(request, Buffer.concat(parts).toString('utf8'));
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
