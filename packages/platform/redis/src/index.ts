export { connectRedis, type RedisOptions } from './connection.ts';
export { RedisError, redisError, type RedisErrorCode } from './errors.ts';
export { readServer, type RedisServer, requireSuitable, unsuitability } from './server.ts';
