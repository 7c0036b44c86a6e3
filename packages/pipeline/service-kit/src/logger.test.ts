import { createTestDatabase } from '@weir/postgres/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createLogger } from './index.ts';

function logging() {
  const lines: string[] = [];
  const logger = createLogger({ service: 'test', level: 'info', destination: { write: (line: string) => void lines.push(line) } });
  return {
    logger,
    text: () => lines.join(''),
    last: () => JSON.parse(lines.at(-1) ?? '{}') as Record<string, unknown> & { err: Record<string, unknown> },
  };
}

test('an error is written with its name, code, message, frames and cause', () => {
  const { logger, last } = logging();
  const cause = Object.assign(new TypeError('the cause'), { code: 'ECONNREFUSED' });
  logger.error({ err: Object.assign(new Error('went wrong', { cause }), { code: 'X' }) }, 'failed');
  expect(last()).toMatchObject({
    service: 'test',
    msg: 'failed',
    err: {
      type: 'Error',
      message: 'went wrong',
      code: 'X',
      stack: expect.stringMatching(/^ +at .*logger\.test\.ts/),
      cause: { type: 'TypeError', message: 'the cause', code: 'ECONNREFUSED' },
    },
  });
});

test('nothing else that an error of a client carries is written', () => {
  const { logger, text } = logging();
  const carried = {
    config: { headers: { Authorization: 'Bearer sesame' }, url: 'https://h/?api_key=sesame' },
    request: { path: '/?api_key=sesame' },
    parameters: ['sesame'],
    detail: 'Key (token)=(sesame) already exists.',
    query: 'SELECT $$sesame$$',
    code: { secret: 'sesame' },
  };
  const error = Object.assign(new Error('GET https://u:sesame@h/q?api_key=sesame failed'), carried);
  logger.error({ err: Object.assign(new Error('outer', { cause: error }), carried) });
  logger.error({ error }, 'again');
  logger.error(error);
  logger.error({ err: { message: 'sesame' } });
  logger.error('https://h/?api_key=sesame');
  logger.error({ url: 'https://h/?api_key=sesame' });
  expect(text()).toContain('GET https://***@h/q?api_key=*** failed');
  expect(text()).not.toContain('sesame');
});

test('what is named a secret is masked, at the top and inside', () => {
  const { logger, text } = logging();
  const secrets = { token: 'sesame', api_key: 'sesame', apiKey: 'sesame', authorization: 'sesame', password: 'sesame', permit: 'sesame' };
  logger.info({ ...secrets, request: { ...secrets, headers: secrets } });
  expect(text()).toContain('***');
  expect(text()).not.toContain('sesame');
});

test('what a parser or the database quotes of the data is not written', async () => {
  const { logger, text, last } = logging();
  try {
    JSON.parse('{"report":"sesame');
  } catch (err) {
    logger.error({ err });
  }
  expect(last().err.type).toBe('SyntaxError');
  const db = await createTestDatabase();
  try {
    await db.pool.query('CREATE TABLE t (id uuid PRIMARY KEY, name text UNIQUE)');
    for (const values of [
      ['sesame', 'x'],
      ['16fd2706-8baf-533b-a82b-bb81c2b3ee25', 'sesame'],
      ['16fd2706-8baf-533b-a82b-bb81c2b3ee26', 'sesame'],
    ]) {
      await db.pool.query('INSERT INTO t VALUES ($1, $2)', values).catch((err: unknown) => logger.error({ err }));
    }
  } finally {
    await db.drop();
  }
  expect(last().err).toMatchObject({ code: '23505' });
  expect(text()).toContain('"22P02"');
  expect(text()).not.toContain('sesame');
});

test('an error that is its own cause is written', () => {
  const { logger, last } = logging();
  const error = new Error('round');
  error.cause = error;
  logger.error({ err: error });
  expect(last().err).toMatchObject({ message: 'round' });
});

test('no query value of any address in a message gets through', () => {
  fc.assert(
    fc.property(
      fc.webUrl({ withQueryParameters: false }),
      fc.stringMatching(/^[a-z]{1,6}$/),
      fc.string({ unit: 'grapheme-ascii' }),
      (url, name, around) => {
        const { logger, text } = logging();
        const address = `${url}?${name}=SESAME${encodeURIComponent(around)}SESAME`;
        logger.error({ err: new Error(`${around} ${address}`, { cause: new Error(`at ${address}\nat ${address}`) }) });
        expect(text()).not.toContain('SESAME');
      },
    ),
    { numRuns: 200 },
  );
});
