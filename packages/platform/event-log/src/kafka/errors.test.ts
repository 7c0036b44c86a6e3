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
