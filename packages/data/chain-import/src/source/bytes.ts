import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';

const isGzip = (start: Uint8Array): boolean => start[0] === 0x1f && start[1] === 0x8b;

/** The file's bytes, gunzipped if needed. Throws one line that names the file. */
export async function* readBytes(path: string): AsyncGenerator<Buffer, void, void> {
  try {
    const packed = isGzip(await firstBytes(path, 2));
    const file = createReadStream(path, { highWaterMark: 1 << 18 });
    if (!packed) return yield* file as AsyncIterable<Buffer>;
    const gunzip = createGunzip({ chunkSize: 1 << 18 });
    // `pipeline` needs a callback. A failed read destroys the stream, and the loop throws the error.
    pipeline(file, gunzip, () => {});
    yield* gunzip as AsyncIterable<Buffer>;
  } catch (error) {
    throw unreadable(path, error);
  }
}

/** Fewer when the file is shorter. */
export async function firstBytes(path: string, count: number): Promise<Buffer> {
  const file = await open(path).catch((error: unknown) => {
    throw unreadable(path, error);
  });
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(count), 0, count, 0);
    return buffer.subarray(0, bytesRead);
  } catch (error) {
    throw unreadable(path, error);
  } finally {
    await file.close();
  }
}

/** The beginning of the unpacked text, without a byte order mark and leading blanks. */
export async function startOf(path: string): Promise<string> {
  let start = '';
  for await (const chunk of readBytes(path)) {
    start = `${start}${chunk.toString('utf8')}`.replace(/^\uFEFF/, '').trimStart();
    if (start.length >= longestStart) break;
  }
  return start.slice(0, longestStart);
}

const longestStart = 16 << 10;

/** Throws when the file, unpacked, is larger than `most` bytes. */
export async function readWhole(path: string, most: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of readBytes(path)) {
    size += chunk.length;
    if (size > most)
      throw new Error(`${basename(path)} is larger than ${most >> 20} MiB, and this format must be read as a whole; split it`);
    chunks.push(chunk);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch (error) {
    throw new Error(`${basename(path)} is not UTF-8`, { cause: error });
  }
}

function unreadable(path: string, error: unknown): Error {
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined) return error as Error;
  const what = code.startsWith('Z_') ? 'is damaged or cut off' : 'cannot be read';
  return new Error(`${basename(path)} ${what}: ${code}`, { cause: error });
}
