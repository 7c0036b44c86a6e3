import { connect, createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import type { ISocketFactory } from 'kafkajs';

/** A network that loses answers, between a client and the brokers. */
export interface LossyNetwork {
  readonly openSocket: ISocketFactory;
  /** Requests still arrive, answers and new connections do not. Resolves after the first lost answer. */
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
