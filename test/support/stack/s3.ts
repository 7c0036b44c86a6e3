import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { installOnce } from '../install-once.ts';
import { freePort, isListening } from './ports.ts';
import { supervise } from './supervisor.ts';

const version = 'v1.8.0';
const buildLimitMs = 600_000;

export interface TestS3 {
  readonly endpoint: string;
  stop(): Promise<void>;
  restart(): Promise<void>;
  remove(): Promise<void>;
}

/**
 * A real S3 server with object lock (Versity's gateway over a folder, built with Go the first time). `credentials` are those of its owner.
 * It ends with the test.
 */
export async function startS3(credentials: { accessKeyId: string; secretAccessKey: string }): Promise<TestS3> {
  const program = join(await installOnce(`versitygw-${version}`, build), 'versitygw');
  const folder = mkdtempSync(join(tmpdir(), 'weir-s3-'));
  const [objects, versions, metadata] = ['objects', 'versions', 'metadata'].map((name) => join(folder, name));
  for (const each of [objects, versions, metadata]) mkdirSync(each ?? '');
  const port = await freePort();
  // Metadata aside, because not every file system has extended attributes.
  const args = [
    '--port',
    `127.0.0.1:${port}`,
    '--quiet',
    'posix',
    '--versioning-dir',
    versions ?? '',
    '--sidecar',
    metadata ?? '',
    objects ?? '',
  ];
  const server = supervise({
    name: 'the S3 server',
    folder,
    program,
    args,
    env: { ROOT_ACCESS_KEY_ID: credentials.accessKeyId, ROOT_SECRET_ACCESS_KEY: credentials.secretAccessKey },
    ready: () => isListening(port),
  });
  await server.start();
  return { endpoint: `http://127.0.0.1:${port}`, stop: () => server.kill(), restart: () => server.start(), remove: () => server.remove() };
}

async function build(folder: string): Promise<void> {
  await promisify(execFile)('go', ['install', `github.com/versity/versitygw/cmd/versitygw@${version}`], {
    env: { ...process.env, GOBIN: folder },
    timeout: buildLimitMs,
  });
}
