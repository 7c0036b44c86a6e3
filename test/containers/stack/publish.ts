import type { Stack } from './stack.ts';

/** Publishes a line that is no event, as the broker's own user, whom no ACL stops. */
export async function publishLine(stack: Stack, topic: string, line: string): Promise<void> {
  const broker = ['--bootstrap-server', 'localhost:9094', '--command-config', '/mnt/shared/config/client.properties'];
  const producer = ['/opt/kafka/bin/kafka-console-producer.sh', ...broker, '--topic', topic];
  await stack.compose(['exec', '-T', 'kafka', ...producer], { input: `${line}\n` });
}
