import { startTestServer } from '@weir/postgres/testing';
import { lineOf, measurePaidCalls } from '../pay/latency.ts';
import { makeWorld, networks } from '../pay/world.ts';
import type { Line } from './line.ts';

export async function benchPayments(print: (line: Line) => void): Promise<Line[]> {
  const stop = await startTestServer();
  const world = await makeWorld();
  try {
    const server = await world.server();
    const lines: Line[] = [];
    for (const network of networks) {
      const payer = await world.payer(network, 100_000_000n);
      await measurePaidCalls(world, server.url, payer, 5);
      const latency = await measurePaidCalls(world, server.url, payer, 30);
      process.stdout.write(`${lineOf(latency)}\n`);
      // Allows the ledger's few commits; a second call to the facilitator would exceed it.
      lines.push({ name: `a payment on ${network} adds`, value: latency.ownMs, unit: 'ms', bound: { most: 150 } });
    }
    lines.forEach(print);
    return lines;
  } finally {
    await world.close();
    await stop();
  }
}
