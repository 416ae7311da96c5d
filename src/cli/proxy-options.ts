/** Reads the options of `proxy`, and the preset that only it has. */

import type { ProxyOptions } from '../proxy/index.ts';
import { readCount, readWord, UsageError } from './arguments.ts';
import { readTimeLimit } from './duration.ts';
import { type PolicyValues, readPolicy } from './policy.ts';

export const DEFAULT_PORT = 8529;
/** The preset for agents: no person waits in front of them, so the proxy waits for hours and keeps the agent waiting too. */
const AGENT_PROXY = 'agent-proxy';
const AGENT_KEEP_ALIVE_MS = 8_000;
/** How long a stream is held back, so that a failure before that can be retried. */
const HOLDS = ['content', 'text', 'end'] as const;

type TextOption = 'host' | 'port' | 'max-body' | 'max-buffer' | 'max-calls' | 'hold' | 'keep-alive' | 'client-timeout';

export interface ProxyValues extends PolicyValues, Readonly<Partial<Record<TextOption, string>>> {}

export function readProxyOptions(values: ProxyValues, target: string): ProxyOptions {
  const isForAgents = values.preset === AGENT_PROXY;
  const clientTimeoutMs = readTimeLimit('--client-timeout', values['client-timeout']);
  return {
    target,
    host: values.host,
    port: readOptionalCount('port', values.port) ?? DEFAULT_PORT,
    retry: {
      ...readPolicy(values, [AGENT_PROXY]),
      ...(values.hold !== undefined && { answers: { holdUntil: readWord('hold', values.hold, HOLDS) } }),
    },
    clientTimeoutMs,
    keepAliveAfterMs:
      readTimeLimit('--keep-alive', values['keep-alive']) ??
      // A client with a shorter limit would never see a comment.
      (isForAgents && (clientTimeoutMs ?? Infinity) > AGENT_KEEP_ALIVE_MS ? AGENT_KEEP_ALIVE_MS : undefined),
    maxCalls: readOptionalCount('max-calls', values['max-calls']),
    maxBodyBytes: readSize('max-body', values['max-body']),
    maxBufferedBytes: readSize('max-buffer', values['max-buffer']),
  };
}

function readOptionalCount(option: string, value: string | undefined): number | undefined {
  return value === undefined ? undefined : readCount(option, value);
}

const PREFIXES = ['', 'k', 'm', 'g'];

function readSize(option: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const [, number, prefix = '', binary] = /^(\d{1,9}(?:\.\d{1,3})?) ?(?:(?:([kmg])(i?))?b)?$/i.exec(value) ?? [];
  if (number !== undefined)
    return Math.floor(Number(number) * (binary ? 1_024 : 1_000) ** PREFIXES.indexOf(prefix.toLowerCase()));
  throw new UsageError(`Expected --${option} to be a size such as 10MB, 64MiB or 1000, got ${JSON.stringify(value)}.`);
}
