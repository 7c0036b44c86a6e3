import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeFolder, weir } from '../../packages/cli/src/testing/weir.ts';
import { type PipelineApi, startPipelineApi } from './pipeline-instance.ts';

const file = join(import.meta.dirname, 'wrong-inputs.md');
const folder = makeFolder();
let api: PipelineApi;
beforeAll(async () => {
  api = await startPipelineApi();
});
afterAll(async () => {
  await api.stop();
  folder.remove();
});

test('each wrong input has the reviewed answer and message', async () => {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  const written: string[] = [];
  for (const line of lines) written.push(await answered(line));
  expect(lines.filter((line) => line.includes('`') && line.startsWith('| ')).length).toBeGreaterThanOrEqual(100);
  await expect(`${written.join('\n')}\n`).toMatchFileSnapshot(file);
});

/** The line of a request or of a command with its answer; any other line as it is. */
async function answered(line: string): Promise<string> {
  const [, role, request] = /^\| (\w+) \| `([^`]+)` \|/.exec(line) ?? [];
  if (role !== undefined && request !== undefined) return `| ${role} | \`${request}\` | ${(await send(role, request)).join(' | ')} |`;
  const [, command] = /^\| `weir ([^`]+)` \|/.exec(line) ?? [];
  return command === undefined ? line : `| \`weir ${command}\` | ${(await run(command)).join(' | ')} |`;
}

async function send(role: string, request: string): Promise<[answer: string, message: string]> {
  const [method = '', path = '', ...body] = request.split(' ');
  const token = role === 'nonsense' ? 'nonsense' : (api.tokens as Record<string, string>)[role];
  const response = await fetch(`${api.url}${path.replace('HELD', api.heldId)}`, {
    method,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(method === 'GET' ? {} : { 'content-type': 'application/json' }),
      prefer: 'wait=0',
    },
    ...(body.length === 0 ? {} : { body: body.join(' ') }),
  });
  const answer = (await response.json()) as { code?: string; detail?: string; errors?: { detail: string }[] };
  const allow = response.headers.get('allow');
  const message = answer.errors === undefined ? (answer.detail ?? '') : answer.errors.map(({ detail }) => detail).join('; ');
  return [`${response.status} ${answer.code}`, cell(allow === null ? message : `${message} (Allow: ${allow})`)];
}

async function run(command: string): Promise<[code: string, message: string]> {
  const args = [...command.matchAll(/"([^"]*)"|\S+/g)].map(([whole, quoted]) => quoted ?? whole);
  const { code, stdout, stderr } = await weir(args, { cwd: folder.path });
  expect([command, stdout]).toEqual([command, '']);
  return [String(code), cell(stderr.trimEnd().replaceAll(folder.path, 'FOLDER').replaceAll('\n', '<br>'))];
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
