import { defineConfig } from 'vitest/config';
import { hasRedis } from '../../test/gate/redis-server.ts';

if (!hasRedis) console.log('redis-server is not installed: the clients were not tested.');

export default defineConfig({
  test: {
    include: hasRedis ? ['test/**/*.test.ts'] : [],
    passWithNoTests: true,
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
