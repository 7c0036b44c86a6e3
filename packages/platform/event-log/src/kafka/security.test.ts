import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Clock, systemClock } from '@weir/clock';
import type { SASLOptions } from 'kafkajs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { securityConfig } from './security.ts';

const brokers = ['one:9092', 'two:9092'];

describe('a connection in the words of kafkajs', () => {
  test('without TLS and without a name', () => {
    expect(securityConfig({ brokers }, systemClock)).toEqual({ brokers });
  });

  test('with TLS by the authorities that Node.js knows: never without a check', () => {
    expect(securityConfig({ brokers, tls: {} }, systemClock)).toEqual({ brokers, ssl: { rejectUnauthorized: true } });
  });

  test('with an authority and a client certificate', () => {
    const tls = { ca: 'CA', cert: 'CERT', key: 'KEY', keyPassword: 'sesame' };
    const ssl = { rejectUnauthorized: true, ca: ['CA'], cert: 'CERT', key: 'KEY', passphrase: 'sesame' };
    expect(securityConfig({ brokers, tls }, systemClock).ssl).toEqual(ssl);
  });

  test.each([
    ['PLAIN', 'plain'],
    ['SCRAM-SHA-256', 'scram-sha-256'],
    ['SCRAM-SHA-512', 'scram-sha-512'],
  ] as const)('with %s', (mechanism, theirs) => {
    const sasl = { mechanism, username: 'weir', password: 'sesame' };
    expect(securityConfig({ brokers, sasl }, systemClock).sasl).toEqual({ mechanism: theirs, username: 'weir', password: 'sesame' });
  });
});

describe('OAUTHBEARER', () => {
  let server: Server;
  let tokenUrl: string;
  let status: number;
  let answer: object;
  const asked: { authorization: string | undefined; body: string }[] = [];
  let monotonic = 0;
  const clock: Clock = { ...systemClock, monotonic: () => monotonic };

  beforeEach(async () => {
    asked.length = 0;
    status = 200;
    monotonic = 0;
    server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        asked.push({ authorization: request.headers.authorization, body });
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    tokenUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`;
  });
  afterEach(() => new Promise((resolve) => server.close(resolve)));

  const provider = (): (() => Promise<{ value: string }>) => {
    const sasl = { mechanism: 'OAUTHBEARER', tokenUrl, clientId: 'weir', clientSecret: 'ses:ame', scope: 'kafka' } as const;
    const options = securityConfig({ brokers, sasl }, clock).sasl as SASLOptions;
    if (options.mechanism !== 'oauthbearer') throw new Error(options.mechanism);
    return options.oauthBearerProvider;
  };

  test('asks the endpoint once for as long as the token is good', async () => {
    answer = { access_token: 'one', expires_in: 100 };
    const token = provider();
    expect(await token()).toEqual({ value: 'one' });
    monotonic = 79_000;
    expect(await token()).toEqual({ value: 'one' });
    expect(asked).toEqual([
      { authorization: `Basic ${Buffer.from('weir:ses%3Aame').toString('base64')}`, body: 'grant_type=client_credentials&scope=kafka' },
    ]);
    answer = { access_token: 'two', expires_in: 100 };
    monotonic = 81_000;
    expect(await token()).toEqual({ value: 'two' });
  });

  test('says that no token was to be had, without the secret, and asks again', async () => {
    status = 401;
    answer = { error: 'invalid_client' };
    const token = provider();
    await expect(token()).rejects.toMatchObject({ code: 'LOG_FAILED', message: 'the token endpoint of Kafka gave no token (HTTP 401)' });
    status = 200;
    answer = { access_token: 'one' };
    expect(await token()).toEqual({ value: 'one' });
  });
});
