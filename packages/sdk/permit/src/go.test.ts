import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { tamper } from './testing.ts';
import { makeVectors, type PermitVectors } from './vectors.testing.ts';

const hasGo = spawnSync('go', ['version']).status === 0;
// A machine without Go says what it left out; the other tests of the package need nothing.
const withGo = describe.skipIf(!hasGo && process.env['CI'] === undefined);
const root = join(import.meta.dirname, '..');

test('the vectors are those of the code, and show every answer', async () => {
  const vectors = JSON.parse(readFileSync(join(root, 'vectors.json'), 'utf8')) as PermitVectors;
  expect(vectors).toEqual(JSON.parse(JSON.stringify(await makeVectors())));
  const codes = vectors.cases.map(({ result }) => (result.ok ? 'ok' : result.code));
  expect([...new Set(codes)].toSorted()).toEqual([
    'BAD_SIGNATURE',
    'EXPIRED',
    'MALFORMED',
    'MISMATCH',
    'NOT_UNDERSTOOD',
    'NOT_YET_VALID',
    'UNKNOWN_KEY',
    'WRONG_ALGORITHM',
    'WRONG_ISSUER',
    'ok',
  ]);
});

withGo('the sample signer in Go', () => {
  let folder: string;
  let signer: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'weir-signer-'));
    signer = join(folder, 'signer');
    execFileSync('go', ['build', '-o', signer, '.'], { cwd: join(root, 'signer-go'), stdio: 'pipe' });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const verify = (file: string) => JSON.parse(execFileSync(signer, ['vectors', file], { encoding: 'utf8' })) as { ok: boolean }[];

  test('answers each vector as verifyPermit does', async () => {
    const { cases } = await makeVectors();
    expect(verify(join(root, 'vectors.json'))).toEqual(cases.map(({ result }) => result));
  });

  test('refuses every permit that was tampered with', async () => {
    const vectors = await makeVectors();
    const [first] = vectors.cases;
    const [jwk] = vectors.jwks.keys;
    if (first === undefined || jwk === undefined) throw new Error('there are no vectors');
    const tampered = await tamper(first.permit, jwk);
    const file = join(folder, 'tampered.json');
    writeFileSync(file, JSON.stringify({ ...vectors, cases: [first, ...tampered.map(([name, permit]) => ({ ...first, name, permit }))] }));
    const allowed = verify(file).flatMap(({ ok }, at) => (ok ? [at === 0 ? 'the permit itself' : tampered[at - 1]?.[0]] : []));
    expect(tampered.length).toBeGreaterThan(80);
    expect(allowed).toEqual(['the permit itself']);
  });
});
