import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  CreateBucketCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectVersionsCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { createApp, createLogger, serve } from '@weir/service-kit';
import { openTestStack } from '@weir/service-kit/testing';
import { startS3 } from '../../../../test/support/stack/s3.ts';
import { startAuditWriter } from '../index.ts';

/** A real place of one kind, for the behaviour suite. */
export interface Place {
  /** For `WEIR_AUDIT_ANCHORS`. The log's verifier key is known only after its first start. */
  address(logKey: string): Promise<string>;
  readonly name: () => string;
  /** Notes that it holds, oldest first. */
  copies(): Promise<readonly string[]>;
  /** Makes it fail, and work again. */
  breakDown(): Promise<void>;
  mend(): Promise<void>;
  close(): Promise<void>;
}

/** A place that names its copies. */
interface NamedCopies extends Place {
  /** Puts another note where the copy of `size` leaves goes. */
  occupy(size: number, note: string): Promise<void>;
}

const copyName = (size: number): string => `checkpoint-${String(size).padStart(16, '0')}`;

export async function folderPlace(): Promise<NamedCopies> {
  const parent = mkdtempSync(join(tmpdir(), 'weir-anchor-'));
  const folder = join(parent, 'copies');
  return {
    address: async () => pathToFileURL(folder).href,
    name: () => `file:${folder}`,
    copies: async () =>
      existsSync(folder)
        ? readdirSync(folder)
            .toSorted()
            .map((file) => readFileSync(join(folder, file), 'utf8'))
        : [],
    // A file stands in the folder's place: also root cannot write into it.
    breakDown: async () => {
      if (existsSync(folder)) renameSync(folder, `${folder}.away`);
      writeFileSync(folder, '');
    },
    mend: async () => {
      rmSync(folder);
      if (existsSync(`${folder}.away`)) renameSync(`${folder}.away`, folder);
    },
    occupy: async (size, note) => {
      writeFileSync(join(folder, copyName(size)), note);
    },
    close: async () => rmSync(parent, { recursive: true }),
  };
}

export async function webhookPlace(): Promise<Place> {
  const copies: string[] = [];
  let isBroken = false;
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      if (!isBroken) copies.push(Buffer.concat(parts).toString('utf8'));
      response.writeHead(isBroken ? 500 : 204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    address: async () => `http://127.0.0.1:${port}/a-secret-path`,
    name: () => `webhook:127.0.0.1:${port}`,
    copies: async () => copies,
    breakDown: async () => void (isBroken = true),
    mend: async () => void (isBroken = false),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** Versity's gateway with a bucket that has object lock. */
export async function s3Place(): Promise<NamedCopies> {
  const credentials = { accessKeyId: randomBytes(8).toString('hex'), secretAccessKey: randomBytes(16).toString('hex') };
  const server = await startS3(credentials);
  const bucket = 'weir-audit';
  const client = new S3Client({ endpoint: server.endpoint, region: 'us-east-1', credentials, forcePathStyle: true, maxAttempts: 1 });
  await client.send(new CreateBucketCommand({ Bucket: bucket, ObjectLockEnabledForBucket: true }));
  process.env['AWS_ACCESS_KEY_ID'] = credentials.accessKeyId;
  process.env['AWS_SECRET_ACCESS_KEY'] = credentials.secretAccessKey;
  const until = new Date(Date.now() + 3_600_000);
  const versions = async () =>
    ((await client.send(new ListObjectVersionsCommand({ Bucket: bucket }))).Versions ?? []).toSorted((a, b) =>
      (a.Key ?? '').localeCompare(b.Key ?? ''),
    );
  return {
    address: async () => `s3://${bucket}/log-1?region=us-east-1&days=1&lock=governance&endpoint=${encodeURIComponent(server.endpoint)}`,
    name: () => `s3:${bucket}/log-1/`,
    copies: async () => {
      const notes: string[] = [];
      for (const { Key, VersionId } of await versions()) {
        // The server refuses to remove a locked copy.
        const removed = await client.send(new DeleteObjectCommand({ Bucket: bucket, Key, VersionId })).then(
          () => 'removed',
          () => 'locked',
        );
        if (removed !== 'locked') throw new Error(`${Key} was not locked`);
        const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key, VersionId }));
        notes.push((await Body?.transformToString()) ?? '');
      }
      return notes;
    },
    breakDown: () => server.stop(),
    mend: () => server.restart(),
    occupy: async (size, note) => {
      await client.send(
        new PutObjectCommand({
          Bucket: bucket,
          Key: `log-1/${copyName(size)}`,
          Body: note,
          ObjectLockMode: 'GOVERNANCE',
          ObjectLockRetainUntilDate: until,
        }),
      );
    },
    close: async () => {
      client.destroy();
      await server.remove();
    },
  };
}

/** Another Weir, which cosigns. */
export async function witnessPlace(): Promise<Place> {
  const dir = mkdtempSync(join(tmpdir(), 'weir-witness-'));
  const stack = await openTestStack();
  const logger = createLogger({ service: 'audit-writer', level: 'silent' });
  let name = '';
  let isBroken = false;
  const answers: string[] = [];
  let open: { close: () => Promise<void> } | undefined;
  return {
    address: async (logKey) => {
      const { service } = await stack.service((given) =>
        startAuditWriter(given, { auditBatch: 100, auditDir: dir, auditWitnessOf: logKey }),
      );
      const app = createApp(logger, service.operations ?? []);
      const server = await serve(
        {
          fetch: async (request: Request) => {
            if (isBroken) return new Response('', { status: 503 });
            const asked = request.method === 'POST' ? await request.clone().text() : '';
            const answer = await app.fetch(request);
            if (answer.status === 200 && asked !== '')
              answers.push(`${asked.slice(asked.indexOf('\n\n') + 2)}${await answer.clone().text()}`);
            return answer;
          },
        },
        { host: '127.0.0.1', port: 0 },
      );
      open = server;
      const key = (await (await app.request('/v1/audit/witness/key')).text()).trim();
      name = `witness:${key.split('+')[0]}`;
      return `witness+http://127.0.0.1:${server.port}/v1/audit/witness#${key}`;
    },
    name: () => name,
    copies: async () => answers,
    breakDown: async () => void (isBroken = true),
    mend: async () => void (isBroken = false),
    close: async () => {
      await open?.close();
      await stack.close();
      rmSync(dir, { recursive: true });
    },
  };
}
