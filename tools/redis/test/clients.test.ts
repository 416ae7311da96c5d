import { Cluster as IoredisCluster, Redis as Ioredis } from 'ioredis';
import { Redis as Valkey } from 'iovalkey';
import { createClient, createCluster } from 'redis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fromIoredis, fromNodeRedis, type RedisPort, redisStore } from '../../../src/gate/redis.ts';
import { openStore } from '../../../src/gate/store.ts';
import { type RedisServer, startRedis } from '../../../test/gate/redis-server.ts';
import { agreesWithTheRule, atTime, contract, report } from '../../../test/gate/store-contract.ts';
import { type Cluster, startCluster } from '../cluster.ts';

interface Client {
  readonly port: RedisPort;
  readonly close: () => unknown;
}

interface Servers {
  readonly alone: RedisServer;
  readonly cluster: Cluster;
}

const CLIENTS: Readonly<Record<string, (servers: Servers) => Promise<Client>>> = {
  'redis (node-redis)': async ({ alone }) => {
    const client = await createClient({ url: `redis://127.0.0.1:${alone.port}` }).connect();
    return { port: fromNodeRedis(client), close: () => client.destroy() };
  },
  'redis (node-redis), a cluster': async ({ cluster }) => {
    const rootNodes = cluster.ports.map((port) => ({ url: `redis://127.0.0.1:${port}` }));
    const client = await createCluster({ rootNodes }).connect();
    return { port: fromNodeRedis(client), close: () => client.destroy() };
  },
  ioredis: async ({ alone }) => {
    const client = new Ioredis(alone.port);
    return { port: fromIoredis(client), close: () => client.disconnect() };
  },
  'ioredis, a cluster': async ({ cluster }) => {
    const client = new IoredisCluster(cluster.ports.map((port) => ({ host: '127.0.0.1', port })));
    return { port: fromIoredis(client), close: () => client.disconnect() };
  },
  iovalkey: async ({ alone }) => {
    const client = new Valkey(alone.port);
    return { port: fromIoredis(client), close: () => client.disconnect() };
  },
};

let servers: Servers;
beforeAll(async () => {
  const [alone, cluster] = await Promise.all([startRedis(), startCluster()]);
  servers = { alone, cluster };
});
afterAll(async () => void (await Promise.all([servers.alone.stop(), servers.cluster.stop()])));

describe.each(Object.entries(CLIENTS))('the store over %s', (name, connect) => {
  let client: Client;
  beforeAll(async () => {
    client = await connect(servers);
  });
  afterAll(() => client.close());

  let opened = 0;
  contract('keeps the contract', () => {
    const key = `${name}, ${(opened += 1)}`;
    return async (one, nowMs) => openStore(redisStore(atTime(client.port, nowMs))).ask(key, one);
  });

  agreesWithTheRule(() => client.port, name);

  test('reaches the keys of every node, by the SHA-1 of the script too', async () => {
    const store = openStore(redisStore(client.port, { prefix: name }));
    for (let round = 1; round <= 2; round += 1) {
      for (let key = 0; key < 30; key += 1) {
        expect(await store.ask(`key-${key}`, report('a'))).toMatchObject({
          total: [round, 1_000 * round, 2_000 * round],
        });
      }
    }
  });
});
