import { AnchorError, anchorTimeoutMs } from './anchor.ts';

export interface Posted {
  readonly status: number;
  readonly type: string;
  /** At most 64 KiB. */
  readonly text: string;
}

const longestAnswer = 64 * 1024;

/** Posts text. Redirects are not followed. Rejects with an AnchorError that names no address. */
export async function postText(url: URL, body: string): Promise<Posted> {
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'text/plain; charset=utf-8' },
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(anchorTimeoutMs),
    });
    return { status: answer.status, type: answer.headers.get('content-type') ?? '', text: await readBounded(answer) };
  } catch (error) {
    if (error instanceof AnchorError) throw error;
    const { name, cause } = error as Error;
    const code =
      name === 'TimeoutError'
        ? `no answer in ${anchorTimeoutMs / 1_000} s`
        : ((cause as NodeJS.ErrnoException | undefined)?.code ?? 'no connection');
    throw new AnchorError(`it cannot be reached: ${code}`, { cause: error });
  }
}

async function readBounded(answer: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of answer.body ?? []) {
    bytes += part.length;
    if (bytes > longestAnswer) throw new AnchorError('its answer is too long');
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}
