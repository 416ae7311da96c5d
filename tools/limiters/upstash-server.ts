/**
 * The HTTP interface of Upstash in front of a Redis of this machine: a command is an array in the body of a POST, and a
 * POST to /pipeline brings several.
 */

import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connectRedis, startRedis } from '../../test/gate/redis-server.ts';

export interface UpstashServer {
  readonly url: string;
  stop(): Promise<void>;
}

type Reply = { readonly result: unknown } | { readonly error: string };

export async function startUpstash(): Promise<UpstashServer> {
  const redis = await startRedis();
  const client = await connectRedis(redis.port);
  /** The hashes of scripts as the caller knows them, and as Redis does. */
  const hashes = new Map<string, string>();
  /** Upstash has flags for scripts that Redis does not know. */
  const withoutFlags = ([name = '', script = '', ...rest]: readonly string[]): readonly string[] => {
    if (name === 'evalsha') return [name, hashes.get(script) ?? script, ...rest];
    if (name !== 'eval') return [name, script, ...rest];
    const plain = script.replace(/^\s*#![^\n]*\n/, '');
    hashes.set(sha1(script), sha1(plain));
    return [name, plain, ...rest];
  };
  const reply = async (command: readonly unknown[]): Promise<Reply> => {
    try {
      return { result: await client.command(...withoutFlags(command.map(String))) };
    } catch (error) {
      return { error: error instanceof Error ? error.message : String(error) };
    }
  };
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const body = JSON.parse(Buffer.concat(parts).toString());
    response.setHeader('content-type', 'application/json');
    if (request.url === '/pipeline') response.end(JSON.stringify(await Promise.all(body.map(reply))));
    else {
      const replied = await reply(body);
      response.statusCode = 'error' in replied ? 400 : 200;
      response.end(JSON.stringify(replied));
    }
  };
  const server = createServer((request, response) => void serve(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      client.close();
      await redis.stop();
    },
  };
}

const sha1 = (text: string): string => createHash('sha1').update(text).digest('hex');
