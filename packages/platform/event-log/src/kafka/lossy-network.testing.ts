import { connect, createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import type { ISocketFactory } from 'kafkajs';

/** Stands between a client and the brokers, for tests of a network that loses answers. */
export interface LossyNetwork {
  readonly openSocket: ISocketFactory;
  /** From now on requests arrive, their answers do not, and no connection can be made after. Resolves when an answer was lost. */
  loseAnswers(): Promise<void>;
  heal(): void;
  close(): Promise<void>;
}

export async function lossyNetwork(broker: string): Promise<LossyNetwork> {
  const [host = '', port = ''] = broker.split(':');
  const sockets = new Set<Socket>();
  let lost: PromiseWithResolvers<void> | undefined;
  let isDown = false;
  const server: Server = createServer((client) => {
    const upstream = connect({ host, port: Number(port) });
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    if (isDown) return void client.destroy();
    client.on('data', (chunk) => upstream.write(chunk));
    upstream.on('data', (chunk) => {
      if (lost === undefined) return void client.write(chunk);
      isDown = true;
      for (const socket of sockets) socket.destroy();
      lost.resolve();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port: own } = server.address() as AddressInfo;
  return {
    openSocket: ({ onConnect }) => connect({ host: '127.0.0.1', port: own }, onConnect),
    loseAnswers: () => {
      lost = Promise.withResolvers();
      return lost.promise;
    },
    heal: () => {
      lost = undefined;
      isDown = false;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
