/**
 * The HTTP interface of Upstash in front of a Redis of this machine: a command is an array in the body of a POST, and a
 * POST to /pipeline brings several.
 */

import { createHash } from 'node:crypto';
import { connectRedis, startRedis } from '../../test/gate/redis-server.ts';
import { serve } from '../../test/serve.ts';

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
  const { origin, close } = await serve(async ({ url }, response, body) => {
    const asked = JSON.parse(body.toString());
    response.setHeader('content-type', 'application/json');
    if (url === '/pipeline') return response.end(JSON.stringify(await Promise.all(asked.map(reply))));
    const replied = await reply(asked);
    return response.writeHead('error' in replied ? 400 : 200).end(JSON.stringify(replied));
  });
  return {
    url: origin,
    stop: async () => {
      await close();
      client.close();
      await redis.stop();
    },
  };
}

const sha1 = (text: string): string => createHash('sha1').update(text).digest('hex');
