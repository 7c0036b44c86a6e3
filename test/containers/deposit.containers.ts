import { randomBytes, randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createApprover, runWithFiles } from './stack/commands.ts';
import { askConsole, askLimitMs, decisionOf, freshAddress, postDeposit, until } from './stack/requests.ts';
import { Stack } from './stack/stack.ts';

const stack = Stack.join();

test('a deposit that is posted is decided', async () => {
  const { tokens } = await stack.credentials();
  const screening = await postDeposit(stack, tokens['ingest'] ?? '', randomUUID(), freshAddress(randomBytes));
  const decided = await decisionOf(stack, tokens['auditor'] ?? '', screening);
  expect(decided.result).toMatchObject({ outcome: 'NO_DATA' });
  expect(decided.decisions).toMatchObject([{ revision: 1, action: 'review', reason_codes: ['NO_DATA'] }]);
});

test('pages of the console read what other services have, with a session of their reader', async () => {
  const { tokens } = await stack.credentials();
  const console = stack.url('WEIR_CONSOLE_PORT');
  const json = { 'content-type': 'application/json' };
  const begun = await fetch(`${console}/v1/session`, {
    method: 'POST',
    headers: { ...json, authorization: `Bearer ${tokens['reviewer']}` },
    body: '{}',
  });
  const headers = { ...json, cookie: begun.headers.get('set-cookie')?.split(';')[0] ?? '', 'sec-fetch-site': 'same-origin' };
  const ask = async (path: string, init: RequestInit = {}): Promise<number> =>
    (await fetch(`${console}${path}`, { ...init, headers, signal: AbortSignal.timeout(askLimitMs) })).status;
  expect(await ask('/v1/policies')).toBe(200);
  expect(await ask('/v1/policies/checks', { method: 'POST', body: JSON.stringify({ text: 'version: 1' }) })).toBe(200);
  expect(await ask('/v1/audit/key')).toBe(200);
  expect(await ask('/v1/providers')).toBe(200);
  expect(await ask('/v1/analyses')).toBe(404);
});

test('a label that is imported decides what comes after', async () => {
  const { tokens } = await stack.credentials();
  const thief = freshAddress(randomBytes);
  const labels = `chain,address,name,category,source\nethereum,${thief},Some Thief,theft,a check\n`;
  await runWithFiles(stack, { 'labels.csv': labels }, [['labels', 'import', '/files/labels.csv', '--format', 'csv']]);
  const screening = await postDeposit(stack, tokens['ingest'] ?? '', randomUUID(), thief);
  const decided = await decisionOf(stack, tokens['auditor'] ?? '', screening);
  expect(decided.decisions).toMatchObject([{ action: 'block', reason_codes: expect.arrayContaining(['LEVEL_SEVERE']) }]);
});

test('a change of labels that two people agreed on is applied, without any published list', async () => {
  const { tokens } = await stack.credentials();
  const [reviewer, approver] = [tokens['reviewer'] ?? '', await createApprover(stack, 'Second')];
  const label = { chain: 'ethereum', address: freshAddress(randomBytes), name: 'Some Thief', category: 'theft', source: 'our own' };
  const asked = { action: 'add', ...label, reason: 'reported' };
  const { request_id } = await askConsole<{ request_id: string }>(stack, reviewer, '/v1/label-requests', asked);
  await askConsole(stack, approver, `/v1/label-requests/${request_id}/answers`, { approve: true });
  await until('the label', async () => {
    const { items } = await askConsole<{ items: readonly unknown[] }>(stack, reviewer, `/v1/labels?address=${label.address}`);
    return items.length > 0 ? true : undefined;
  });
});

test('a service that is stopped ends in order, and what was posted meanwhile is decided when it is back', async () => {
  const { tokens } = await stack.credentials();
  const [decision = ''] = await stack.containers('decision');
  await stack.compose(['stop', 'decision']);
  expect(await stack.docker(['inspect', '--format', '{{.State.ExitCode}}', decision])).toBe('0\n');
  const screening = await postDeposit(stack, tokens['ingest'] ?? '', randomUUID(), freshAddress(randomBytes));
  await stack.compose(['start', 'decision']);
  const decided = await decisionOf(stack, tokens['auditor'] ?? '', screening);
  expect(decided.decisions).toHaveLength(1);
});

test('the jobs of a later start leave every password, token and key as it is', async () => {
  const before = await stack.credentials();
  await stack.compose(['run', '--rm', '--no-deps', '-T', 'secrets']);
  await stack.compose(['run', '--rm', '--no-deps', '-T', 'setup']);
  expect(await stack.credentials()).toEqual(before);
  await postDeposit(stack, before.tokens['ingest'] ?? '', randomUUID());
});

test('the command line works in a container of its own', async () => {
  const listed = await stack.compose(['run', '--rm', '-T', 'weir', 'keys', 'list', '--json']);
  const found = (JSON.parse(listed) as { name: string; role: string | null }[]).filter(({ name }) => name.startsWith('docker compose'));
  expect(
    found
      .map(({ role }) => role)
      .filter((role) => role !== null)
      .sort(),
  ).toEqual(['admin', 'approver', 'auditor', 'gate', 'ingest', 'reviewer']);
});
