import { describe, expect, it } from 'vitest';
import { cutEndFor, ignoresTheMark, timeLimitOf } from '../../src/proxy/known-clients.ts';

describe('a client that retries every 429', () => {
  it.each([
    'ai/7.0.173 ai-sdk-provider-utils/5.0.81 node.js/26',
    'ai-sdk-openai/4.0.118 ai-sdk-provider-utils/5.0.81 node.js/26',
    'ai-sdk/openai-compatible/3.0.37 ai-sdk/provider-utils/5.0.30 runtime/bun/1.3.13',
    'GeminiCLI-tui/0.61.0/gemini-2.5-flash (linux; x64; terminal)',
    'google-genai-sdk/3.1.0 gl-node/v26.10.0',
    'QwenCode/0.24.4 (linux; x64)',
    'opencode/1.18.33 ai-sdk/provider-utils/4.0.46 runtime/bun/1.3.14',
    'aws-sdk-js/3.1162.0 ua/2.1 os/linux#6.18.44 lang/js md/nodejs#26.10.0',
    'cohere-ai/8.1.0',
    'voyageai/0.4.0',
    'mistral-client-typescript/2.7.0',
    'pi (linux 6.18.44-fc-v669; x64)',
    'omp/18.2.3',
    'ls/JS 5.23.2',
  ])('is known by its user-agent %j', (userAgent) => {
    expect(ignoresTheMark(userAgent)).toBe(true);
  });
});

describe('a client that obeys the mark, or of which nothing is known,', () => {
  it.each([
    'OpenAI/JS 7.57.0',
    'AsyncOpenAI/Python 2.8.0',
    'Anthropic/JS 1.12.0',
    'Groq/JS 1.6.0',
    'claude-cli/2.1.330 (external, sdk-cli)',
    'codex_exec/0.169.0 (Debian 12.0.0; x86_64) dumb (codex_exec; 0.169.0)',
    'curl/8.5.0',
    'node',
    '',
    undefined,
  ])('gets the 429: %j', (userAgent) => {
    expect(ignoresTheMark(userAgent)).toBe(false);
  });
});

describe('the time limit of a client that does not announce one', () => {
  it.each(['Groq/JS 1.6.0', 'Together/JS 0.52.0', 'voyageai/0.4.0'])('is a minute for %j', (userAgent) => {
    expect(timeLimitOf(userAgent)).toBe(60_000);
  });

  it.each(['OpenAI/JS 7.57.0', 'Groq/Python 1.0.0', 'node', undefined])('is unknown for %j', (userAgent) => {
    expect(timeLimitOf(userAgent)).toBe(Number.POSITIVE_INFINITY);
  });
});

describe('a stream that is cut after its first content', () => {
  it.each([
    ['opencode/1.18.33 ai-sdk/provider-utils/4.0.46 runtime/bun/1.3.14', 'breaks'],
    ['pi (linux 6.18.44-fc-v669; x64)', 'breaks'],
    ['QwenCode/0.24.4 (linux; x64)', 'ends'],
  ])('is asked for again by %j if it %s', (userAgent, end) => {
    expect(cutEndFor(userAgent)).toBe(end);
  });

  it.each(['OpenAI/JS 7.57.0', 'omp/18.2.3', 'pip/25.0', '', undefined])(
    'ends with an error event for %j',
    (userAgent) => {
      expect(cutEndFor(userAgent)).toBe('error event');
    },
  );
});
