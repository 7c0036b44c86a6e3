import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { installOnce } from '../support/install-once.ts';

const run = promisify(execFile);
const version = 'v3.20.2';
/** A Helm that `go install` builds does not know the version that it was built for. */
export const kubernetes = '1.34.0';
const buildLimitMs = 1_800_000;
const limitMs = 120_000;

export const chart = join(import.meta.dirname, '..', '..', 'deploy', 'helm');

/** An object of Kubernetes; only what the tests read of all kinds. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Record<string, string>; readonly annotations?: Record<string, string> };
  readonly spec?: Record<string, any>;
  readonly data?: Record<string, string>;
}

/** Values that have no default. */
export const addresses = { kafka: { brokers: 'kafka-0:9093,kafka-1:9093', schemaRegistryUrl: 'https://registry:8081' } };

/** Helm, built with Go the first time. Rejects with what Helm writes to stderr. */
export async function helm(...args: readonly string[]): Promise<string> {
  const program = join(await installOnce(`helm-${version}`, build), 'helm');
  const { stdout } = await run(program, args, {
    timeout: limitMs,
    maxBuffer: 64 * 1_024 * 1_024,
    env: { ...process.env, HELM_NO_PLUGINS: '1' },
  });
  return stdout;
}

/** Calls `use` with a file of these values. */
export async function withValues<T>(values: object, use: (file: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'weir-helm-'));
  try {
    const file = join(folder, 'values.json');
    writeFileSync(file, JSON.stringify(values));
    return await use(file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The manifests of a release `weir` in the namespace `payments`, hooks included. */
export async function render(values: object): Promise<readonly Manifest[]> {
  const text = await withValues(values, (file) =>
    helm('template', 'weir', chart, '--kube-version', kubernetes, '--namespace', 'payments', '--values', file),
  );
  return parseAllDocuments(text).flatMap((document) => {
    if (document.errors.length > 0) throw new Error(`not YAML: ${document.errors[0]?.message}`);
    const value = document.toJS() as Manifest | null;
    return value === null ? [] : [value];
  });
}

async function build(folder: string): Promise<void> {
  await run('go', ['install', `helm.sh/helm/v3/cmd/helm@${version}`], {
    env: { ...process.env, GOBIN: folder },
    timeout: buildLimitMs,
  });
}
