import { type RemoteKey, RemoteKeyError, remoteKeyTimeoutMs } from './remote-key.ts';

export interface VaultKey {
  /** Of the server, without a path. */
  readonly address: string;
  /** Where the transit engine is mounted. */
  readonly mount: string;
  readonly key: string;
  readonly token: string;
}

interface Answer {
  readonly data?: {
    readonly signature?: string;
    readonly latest_version?: number;
    readonly keys?: Record<string, { public_key?: string }>;
  };
}

/** The transit engine of Vault or OpenBao, a key of the type ed25519. Always signs with the version that was the latest at the start. */
export function vaultKey({ address, mount, key, token }: VaultKey): RemoteKey {
  const call = async (path: string, body?: unknown): Promise<Answer> => {
    const answer = await fetch(`${address}/v1/${mount}/${path}`, {
      headers: { 'x-vault-token': token, 'content-type': 'application/json' },
      redirect: 'error',
      signal: AbortSignal.timeout(remoteKeyTimeoutMs),
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    }).catch((error: unknown) => {
      throw new RemoteKeyError('Vault cannot be reached', { cause: error });
    });
    if (!answer.ok) throw new RemoteKeyError(`Vault answered ${answer.status}`);
    return (await answer.json()) as Answer;
  };
  let version: number | undefined;
  return {
    publicKey: async () => {
      const { data } = await call(`keys/${key}`);
      version = data?.latest_version;
      return Buffer.from(data?.keys?.[String(version)]?.public_key ?? '', 'base64');
    },
    sign: async (message) => {
      const { data } = await call(`sign/${key}`, {
        input: message.toString('base64'),
        ...(version === undefined ? {} : { key_version: version }),
      });
      return Buffer.from(data?.signature?.split(':').at(-1) ?? '', 'base64');
    },
  };
}
