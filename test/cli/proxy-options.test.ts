import { describe, expect, it } from 'vitest';
import { readProxyOptions } from '../../src/cli/proxy-options.ts';
import { presets } from '../../src/index.ts';

const target = 'https://api.example.com';

describe('the options of a proxy', () => {
  it('leave everything but the target and the port to the defaults', () => {
    const options = readProxyOptions({}, target);
    expect(options).toMatchObject({ target, port: 8_529, retry: {} });
    expect(options.keepAliveAfterMs).toBeUndefined();
  });

  it('take the longest hint that is obeyed', () => {
    expect(readProxyOptions({ 'max-retry-after': '5m' }, target).retry).toMatchObject({ maxRetryAfterMs: 300_000 });
  });
});

it.each(['content', 'text', 'end'] as const)('hold streams until their %s', (hold) => {
  expect(readProxyOptions({ hold }, target).retry).toMatchObject({ answers: { holdUntil: hold } });
});

describe('the preset for agents', () => {
  it('waits for hours, and sends comments meanwhile', () => {
    const options = readProxyOptions({ preset: 'agent-proxy' }, target);
    expect(options).toMatchObject({ retry: presets.patient, keepAliveAfterMs: 8_000 });
  });

  it('gives way to other options', () => {
    const values = { preset: 'agent-proxy', 'keep-alive': '3s', 'max-retries': '1' };
    expect(readProxyOptions(values, target)).toMatchObject({
      retry: { ...presets.patient, maxRetries: 1 },
      keepAliveAfterMs: 3_000,
    });
  });

  it('sends no comments to a client that goes before the first one', () => {
    const values = { preset: 'agent-proxy', 'client-timeout': '8s' };
    expect(readProxyOptions(values, target).keepAliveAfterMs).toBeUndefined();
  });
});
