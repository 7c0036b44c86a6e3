import { expect, test } from 'vitest';
import { logError } from './errors.ts';

test.each([
  ['itself', { name: 'KafkaJSProtocolError', type: 'TOPIC_AUTHORIZATION_FAILED', retriable: false }],
  ['beneath an error of kafkajs', { name: 'KafkaJSNumberOfRetriesExceeded', cause: { type: 'TOPIC_AUTHORIZATION_FAILED' } }],
])('a topic that the ACLs deny has a code of its own, %s', (_, error) => {
  expect(logError(error)).toMatchObject({
    code: 'TOPIC_DENIED',
    retriable: false,
    message: expect.stringContaining('AUTHORIZATION_FAILED'),
  });
});

test('a group that the ACLs deny is a failure of the log', () => {
  expect(logError({ name: 'KafkaJSProtocolError', type: 'GROUP_AUTHORIZATION_FAILED', retriable: false })).toMatchObject({
    code: 'LOG_FAILED',
  });
});

test.each([
  [
    'inside kafkajs is a connection that went away',
    'node_modules/kafkajs/src/broker/index.js',
    { code: 'LOG_UNAVAILABLE', retriable: true },
  ],
  ['of our own is none', 'packages/platform/event-log/src/kafka/directory.ts', { code: 'LOG_FAILED', retriable: false }],
])('a TypeError %s', (_, file, expected) => {
  const error = new TypeError("Cannot read properties of null (reading 'send')");
  error.stack = `TypeError: Cannot read properties of null (reading 'send')\n    at Broker.fetchOffsets (/weir/${file}:12:5)\n    at ask (/weir/node_modules/kafkajs/src/admin/index.js:1:1)`;
  expect(logError(error)).toMatchObject(expected);
});
