import { get } from 'node:http';

/** Ends with 0 when the service in this container is ready, with 1 otherwise. Plain `node:http`: it runs every few seconds in each container. */
const request = get({ host: '127.0.0.1', port: process.env['WEIR_PORT'], path: '/readyz', timeout: 4_000 }, ({ statusCode }) => {
  process.exit(statusCode === 200 ? 0 : 1);
});
request.on('timeout', () => request.destroy(new Error('timeout')));
request.on('error', () => process.exit(1));
