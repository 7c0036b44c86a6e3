import { createVerifierKey, NoteKeyError, type VerifierKey } from '@weir/audit-log';
import { ConfigError, isLoopback } from '@weir/service-kit/config';
import { partsOf } from '../config.ts';
import { awsKey } from './aws.ts';
import { gcpKey } from './gcp.ts';
import { type RemoteKey, RemoteKeyError } from './remote-key.ts';
import { vaultKey } from './vault.ts';

export interface RemoteSigner {
  readonly verifier: VerifierKey;
  /** Rejects with a RemoteKeyError, also if the service signs with another key than it named. */
  sign(message: string): Promise<Buffer>;
}

/** The keys of `WEIR_AUDIT_KMS_KEYS`. Rejects with a ConfigError, or with a RemoteKeyError if a service is away. */
export async function openRemoteSigners(text: string, vaultToken: string): Promise<readonly RemoteSigner[]> {
  return Promise.all(partsOf(text).map((each) => openRemoteSigner(each, vaultToken)));
}

async function openRemoteSigner(text: string, vaultToken: string): Promise<RemoteSigner> {
  if (!URL.canParse(text)) throw wrong('must be addresses with commas');
  const url = new URL(text);
  const name = decodeURIComponent(url.hash.slice(1));
  const key = await remoteKeyOf(url, vaultToken);
  const verifier = named(name, await key.publicKey());
  return {
    verifier,
    sign: async (message) => {
      const signature = await key.sign(Buffer.from(message));
      if (!verifier.verify(message, signature))
        throw new RemoteKeyError('the signature is not of the key that the service named at the start');
      return signature;
    },
  };
}

async function remoteKeyOf(url: URL, vaultToken: string): Promise<RemoteKey> {
  const path = decodeURIComponent(url.pathname.replace(/^\/+/, ''));
  const endpoint = url.searchParams.get('endpoint') ?? undefined;
  switch (url.protocol) {
    case 'aws-kms:':
      if (url.host === '' || path === '') throw wrong('aws-kms: must be aws-kms://REGION/KEY#NAME');
      return awsKey({ region: url.host, key: path, endpoint });
    case 'gcp-kms:': {
      const version = `${url.host}/${path}`;
      if (!/^projects\/.+\/cryptoKeyVersions\/\d+$/.test(version))
        throw wrong('gcp-kms: must be gcp-kms://projects/…/cryptoKeyVersions/N#NAME');
      return gcpKey({ version, endpoint });
    }
    case 'vault+http:':
    case 'vault+https:':
      return vaultOf(url, path, vaultToken);
    default:
      throw wrong('must be aws-kms://…, gcp-kms://… or vault+https://…');
  }
}

function vaultOf(url: URL, path: string, token: string): RemoteKey {
  const [, mount = '', key = ''] = /^(.+)\/([^/]+)$/.exec(path) ?? [];
  if (mount === '') throw wrong('vault+https: must be vault+https://HOST/MOUNT/KEY#NAME');
  const address = `${url.protocol.slice('vault+'.length)}//${url.host}`;
  if (address.startsWith('http:') && !isLoopback(url)) throw wrong('a Vault must be reached by https, unless it is on this machine');
  return vaultKey({ address, mount, key, token });
}

function named(name: string, publicKey: Buffer): VerifierKey {
  try {
    return createVerifierKey(name, publicKey);
  } catch (error) {
    if (error instanceof NoteKeyError) throw wrong(`each address ends with # and the name of the log; ${error.message}`);
    throw error;
  }
}

function wrong(why: string): ConfigError {
  return new ConfigError(`setting WEIR_AUDIT_KMS_KEYS is wrong: ${why}`);
}
