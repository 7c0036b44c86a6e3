import type { S3Client } from '@aws-sdk/client-s3';
import type { Clock } from '@weir/clock';
import { importOptional, optionalPackages } from '@weir/optional-packages';
import { awsErrorWords } from '../aws-error.ts';
import type { SignedCheckpoint } from '../checkpoints.ts';
import { type Anchor, AnchorError, anchorTimeoutMs, nameOfCopy, otherCopy } from './anchor.ts';

export interface S3Place {
  readonly bucket: string;
  /** Empty or with a slash at the end. */
  readonly prefix: string;
  readonly region: string | undefined;
  /** For other servers than those of AWS. */
  readonly endpoint: string | undefined;
  readonly lock: 'COMPLIANCE' | 'GOVERNANCE';
  /** How long nobody can delete a copy. */
  readonly days: number;
}

/**
 * One object for each checkpoint, under object lock. Credentials are those of the AWS SDK: environment, shared files, or the role of the
 * machine. Rejects with a MissingPackageError.
 */
export async function s3Anchor(place: S3Place, clock: Clock): Promise<Anchor> {
  const sdk = await importOptional('anchoring in S3', optionalPackages.s3, () => import('@aws-sdk/client-s3'));
  const { bucket, prefix, region, endpoint } = place;
  const client = new sdk.S3Client({
    ...(region === undefined ? {} : { region }),
    ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
    maxAttempts: 2,
  });
  const signal = () => ({ abortSignal: AbortSignal.timeout(anchorTimeoutMs) });
  return {
    name: `s3:${bucket}/${prefix}`,
    keep: async (checkpoint) => {
      const object = { Bucket: bucket, Key: `${prefix}${nameOfCopy(checkpoint)}` };
      const locked = { ObjectLockMode: place.lock, ObjectLockRetainUntilDate: new Date(clock.now() + place.days * 86_400_000) };
      try {
        await client.send(
          new sdk.PutObjectCommand({ ...object, ...locked, Body: checkpoint.note, ContentType: 'text/plain', IfNoneMatch: '*' }),
          signal(),
        );
      } catch (error) {
        if ((error as { name?: string }).name !== 'PreconditionFailed') throw failed(error);
        await requireSame(client, new sdk.GetObjectCommand(object), checkpoint);
      }
      return checkpoint.note;
    },
  };
}

/** An earlier attempt may have stored the object and lost the answer. */
async function requireSame(
  client: S3Client,
  get: InstanceType<typeof import('@aws-sdk/client-s3').GetObjectCommand>,
  { size, note }: SignedCheckpoint,
): Promise<void> {
  const kept = await client
    .send(get, { abortSignal: AbortSignal.timeout(anchorTimeoutMs) })
    .then((answer) => answer.Body?.transformToString())
    .catch((error: unknown) => {
      throw failed(error);
    });
  if (kept !== note) throw otherCopy(size);
}

function failed(error: unknown): AnchorError {
  return new AnchorError(awsErrorWords(error), { cause: error });
}
