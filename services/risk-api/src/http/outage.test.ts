import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestService, get, post, type TestService } from '../testing/instance.ts';
import { openLine } from '../testing/line.ts';
import { create, failure } from '../testing/calls.ts';

const trx = 'TU4tDFRvcKhAZ1jdihojmBWZqvJhQCnJ4F';

let service: TestService;
let keys: { standard: string };

beforeAll(async () => {
  service = await createTestService();
  await service.start().then((first) => first.stop());
  keys = {
    standard: await service.key({ surface: 'standard' }),
  };
});
afterAll(() => service.stop());

describe('what breaks inside', () => {
  it('is told as a code alone', async () => {
    const broken = await createTestService();
    const own = await broken.start();
    const key = await broken.key({ surface: 'standard' });
    await broken.database.pool.query('ALTER TABLE risk.runs RENAME TO gone');
    const answer = await post(own.url + create, { coin: 'TRX', address: trx, api_key: key });
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 500, body: failure('InternalError') });
    expect(own.logs()).toContain('request failed');
    await broken.stop();
  });

  it('a database that is away is told as such, also to readiness, and comes back', async () => {
    const line = await openLine(service.database.url);
    const own = await service.start({ databaseUrl: line.url });
    await line.cut();
    const send = { coin: 'TRX', address: trx, api_key: keys.standard };
    expect(await post(own.url + create, send)).toMatchObject({ status: 503, body: failure('ServiceUnavailable') });
    expect((await get(`${own.url}/readyz`)).status).toBe(503);
    expect((await get(`${own.url}/healthz`)).status).toBe(200);
    await line.mend();
    expect(await post(own.url + create, send)).toMatchObject({ status: 200 });
    expect((await get(`${own.url}/readyz`)).status).toBe(200);
    await own.stop();
    await line.cut();
  });
});
