import { importOptional, optionalPackages } from '@weir/optional-packages';
import { awsErrorWords } from '../aws-error.ts';
import { rawPublicKey, type RemoteKey, RemoteKeyError, remoteKeyTimeoutMs } from './remote-key.ts';

export interface AwsKey {
  readonly region: string;
  /** Id, ARN or alias. */
  readonly key: string;
  /** For another server than that of AWS. */
  readonly endpoint: string | undefined;
}

/**
 * AWS KMS, a key of the specification ECC_NIST_EDWARDS25519. Credentials are those of the AWS SDK. Rejects with a MissingPackageError.
 */
export async function awsKey({ region, key, endpoint }: AwsKey): Promise<RemoteKey> {
  const sdk = await importOptional('signing with AWS KMS', optionalPackages.awsKms, () => import('@aws-sdk/client-kms'));
  const client = new sdk.KMSClient({ region, maxAttempts: 3, ...(endpoint === undefined ? {} : { endpoint }) });
  const options = () => ({ abortSignal: AbortSignal.timeout(remoteKeyTimeoutMs) });
  return {
    publicKey: async () => {
      const { PublicKey } = await client.send(new sdk.GetPublicKeyCommand({ KeyId: key }), options()).catch(asRemote);
      return rawPublicKey(Buffer.from(PublicKey ?? []));
    },
    sign: async (message) => {
      const command = new sdk.SignCommand({ KeyId: key, Message: message, MessageType: 'RAW', SigningAlgorithm: 'ED25519_SHA_512' });
      const { Signature } = await client.send(command, options()).catch(asRemote);
      return Buffer.from(Signature ?? []);
    },
  };
}

function asRemote(error: unknown): never {
  throw new RemoteKeyError(`AWS KMS: ${awsErrorWords(error)}`, { cause: error });
}
