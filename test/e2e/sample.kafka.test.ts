import { startRedis } from '../support/stack/redis.ts';
import { expectFirstStart } from './first-start.ts';
import { prepareKafka } from './kafka-tier.ts';

expectFirstStart({
  prepare: async () => {
    const kafka = await prepareKafka();
    const redis = await startRedis({ own: true });
    const close = async (): Promise<void> => void (await Promise.all([kafka.close(), redis.stop()]));
    return { env: { ...kafka.env, REDIS_URL: redis.url }, close };
  },
});
