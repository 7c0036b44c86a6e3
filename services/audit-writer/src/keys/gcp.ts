import { importOptional, optionalPackages } from '@weir/optional-packages';
import { rawPublicKey, type RemoteKey, RemoteKeyError, remoteKeyTimeoutMs } from './remote-key.ts';

export interface GcpKey {
  /** `projects/…/locations/…/keyRings/…/cryptoKeys/…/cryptoKeyVersions/N`. */
  readonly version: string;
  /** For another server than that of Google. */
  readonly endpoint: string | undefined;
}

const scope = 'https://www.googleapis.com/auth/cloudkms';

/**
 * Cloud KMS of Google, a key version of the algorithm EC_SIGN_ED25519. Credentials are the application default credentials. Rejects with a
 * MissingPackageError.
 */
export async function gcpKey({ version, endpoint = 'https://cloudkms.googleapis.com' }: GcpKey): Promise<RemoteKey> {
  const { GoogleAuth } = await importOptional(
    'signing with Google Cloud KMS',
    optionalPackages.gcpKms,
    () => import('google-auth-library'),
  );
  // With the project named, the library does not ask for it.
  const auth = new GoogleAuth({ scopes: scope, projectId: version.split('/')[1] ?? '' });
  const request = async <T>(path: string, body?: unknown): Promise<T> => {
    const { data } = await auth
      .request<T>({
        url: `${endpoint}/v1/${version}${path}`,
        timeout: remoteKeyTimeoutMs,
        ...(body === undefined ? {} : { method: 'POST', data: body }),
      })
      .catch((error: unknown) => {
        const { status } = error as { status?: number };
        throw new RemoteKeyError(`Google Cloud KMS${status === undefined ? ' cannot be reached' : ` answered ${status}`}`, {
          cause: error,
        });
      });
    return data;
  };
  return {
    publicKey: async () => {
      const { pem = '' } = await request<{ pem?: string }>('/publicKey');
      return rawPublicKey(Buffer.from(pem.replaceAll(/-----[A-Z ]+-----|\s/g, ''), 'base64'));
    },
    sign: async (message) => {
      const { signature = '' } = await request<{ signature?: string }>(':asymmetricSign', { data: message.toString('base64') });
      return Buffer.from(signature, 'base64');
    },
  };
}
