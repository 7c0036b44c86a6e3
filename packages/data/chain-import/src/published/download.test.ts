import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { systemClock } from '@weir/clock';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeFolder } from '../testing/files.ts';
import { type Answer, type ListServer, startListServer } from '../testing/list-server.ts';
import { download, type DownloadOptions } from './download.ts';

const folder = makeFolder();
const path = join(folder.path, 'list');
let server: ListServer;
beforeAll(async () => {
  server = await startListServer();
});
afterAll(async () => {
  await server.stop();
  folder.remove();
});

const fetchList = (options: Partial<DownloadOptions> = {}) =>
  download({ url: server.url, path, known: undefined, clock: systemClock, ...options });

describe('a download', () => {
  it('keeps the file with its hash and version; the same version is not fetched again', async () => {
    server.publish('<list/>', '"1"');
    const fetched = await fetchList();
    expect(fetched).toEqual({ etag: '"1"', last_modified: null, bytes: 7, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(readFileSync(path, 'utf8')).toBe('<list/>');
    expect(await fetchList({ known: { etag: '"1"', last_modified: 'Mon, 02 Nov 2026 00:00:00 GMT' } })).toBeUndefined();
    expect(server.requests.at(-1)).toMatchObject({ 'if-none-match': '"1"', 'if-modified-since': 'Mon, 02 Nov 2026 00:00:00 GMT' });
    expect(await fetchList({ known: { etag: '"0"', last_modified: null } })).toMatchObject({ etag: '"1"' });
  });

  const cut: Answer = (_, response) => {
    response.writeHead(200, { 'content-length': '1000' });
    response.write('<list>', () => response.destroy());
  };
  const pieces: Answer = (_, response) => {
    response.writeHead(200);
    response.write('<list>', () => response.destroy());
  };
  const bomb: Answer = (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('x'.repeat(1 << 20)));
  const to =
    (location: string): Answer =>
    (_, response) =>
      response.writeHead(302, { location }).end();
  it.each<[string, Answer, string]>([
    ['the file is cut', cut, 'UNREACHABLE'],
    ['a file of unknown length is cut', pieces, 'UNREACHABLE'],
    ['the file is larger than allowed once it is unpacked', bomb, 'TOO_LARGE'],
    ['no answer comes', () => undefined, 'TIMEOUT'],
    ['the answer does not end', (_, response) => void response.writeHead(200).write('<list>'), 'TIMEOUT'],
    ['the publisher fails', (_, response) => response.writeHead(503).end('busy'), 'STATUS'],
    ['304 comes for a file that was never fetched', (_, response) => response.writeHead(304).end(), 'STATUS'],
    [
      'a page comes',
      (_, response) => response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end('<html>'),
      'NOT_THE_LIST',
    ],
    ['it leads to http', to('http://127.0.0.1:9/list'), 'REDIRECT'],
    ['it leads to itself without https', to('/list'), 'REDIRECT'],
    ['it leads to a file of this machine', to('file:///etc/passwd'), 'REDIRECT'],
    ['it leads to no address', to('http://['), 'REDIRECT'],
  ])('fails when %s', async (_, answer, code) => {
    server.answer(answer);
    // On a busy machine an answer may take longer than a limit that a test can wait for.
    const limitMs = code === 'TIMEOUT' ? 500 : 60_000;
    await expect(fetchList({ limitMs, largestBytes: 100_000 })).rejects.toMatchObject({ name: 'ListError', code });
  });

  it('fails without a publisher, tells no address, and ends with its signal', async () => {
    const failing = fetchList({ url: 'http://127.0.0.1:1/list?token=secret' });
    await expect(failing).rejects.toMatchObject({ code: 'UNREACHABLE', retriable: true });
    await expect(failing).rejects.not.toThrow(/secret/);
    server.answer(() => undefined);
    await expect(fetchList({ signal: AbortSignal.abort() })).rejects.toThrow();
  });
});
