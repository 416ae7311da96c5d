/** A cluster of three masters without replicas, on this machine. */

import { setTimeout as sleep } from 'node:timers/promises';
import { connectRedis, type RedisServer, startRedis } from '../../test/gate/redis-server.ts';
import { freePort } from '../../test/serve.ts';

const SLOTS = 16_384;

export interface Cluster {
  readonly ports: readonly number[];
  stop(): Promise<void>;
}

export async function startCluster(size = 3): Promise<Cluster> {
  const servers: RedisServer[] = [];
  const buses: number[] = [];
  for (let node = 0; node < size; node += 1) {
    const bus = await freePort();
    servers.push(await startRedis(undefined, '--cluster-enabled', 'yes', '--cluster-port', String(bus)));
    buses.push(bus);
  }
  const clients = await Promise.all(servers.map(({ port }) => connectRedis(port)));
  for (const [node, client] of clients.entries()) {
    const [from, to] = [Math.ceil((node * SLOTS) / size), Math.ceil(((node + 1) * SLOTS) / size) - 1];
    await client.command('CLUSTER', 'ADDSLOTSRANGE', String(from), String(to));
    await client.command('CLUSTER', 'MEET', '127.0.0.1', String(servers[0]?.port), String(buses[0]));
  }
  const isReady = async (): Promise<boolean> => {
    const known = await Promise.all(clients.map((client) => client.command('CLUSTER', 'INFO')));
    return known.every((text) => /cluster_state:ok/.test(String(text)) && /known_nodes:3/.test(String(text)));
  };
  while (!(await isReady())) await sleep(50);
  for (const client of clients) client.close();
  return {
    ports: servers.map(({ port }) => port),
    stop: async () => void (await Promise.all(servers.map((server) => server.stop()))),
  };
}
