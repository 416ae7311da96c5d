import { readdirSync, readFileSync } from 'node:fs';
import { HttpResponse, http } from 'msw';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { completions, replay } from '../mocks/index.ts';
import { useNetwork } from './network.ts';

const network = useNetwork();
const said: string[] = [];

beforeEach(() => {
  said.length = 0;
  vi.resetModules();
  vi.spyOn(console, 'log').mockImplementation((...words: unknown[]) => void said.push(words.join(' ')));
});

/** An overload that asks for a wait too short to notice. */
const overloaded = (): Response =>
  Response.json(
    { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
    { status: 529, headers: { 'retry-after-ms': '2' } },
  );

describe('an example runs as it stands', () => {
  test('ten-lines: an overload is shown and waited out', async () => {
    network.use(replay('https://api.anthropic.com/v1/messages', overloaded, completions.anthropic('Hello there')));
    await import('../examples/ten-lines.ts');
    expect(said[0]).toMatch(/^HTTP 529: .*Overloaded.* — attempt 2 in 2ms$/);
    expect(said[1]).toMatch(/^200 .*Hello there/);
  });

  test('transport: a gate that stays shut is reported once', async () => {
    network.use(replay('https://api.anthropic.com/v1/messages', 'anthropic-400-prompt-too-long'));
    await import('../examples/transport.ts');
    expect(said).toEqual(['gave up: not-retryable, context_too_long', '400']);
  });

  test('sign-each-attempt: every attempt carries a signature of its own', async () => {
    const seen: (string | null)[] = [];
    network.use(
      http.post(/bedrock-runtime/, ({ request }) => {
        seen.push(request.headers.get('authorization'));
        return seen.length === 1 ? overloaded() : HttpResponse.json({});
      }),
    );
    await import('../examples/sign-each-attempt.ts');
    expect(said).toEqual(['200']);
    expect(seen).toHaveLength(2);
    expect(seen.every((signature) => signature?.startsWith('Signature '))).toBe(true);
    expect(seen[0]).not.toBe(seen[1]);
  });

  test('refresh-token: a 401 is answered with one new token', async () => {
    const seen: (string | null)[] = [];
    network.use(http.post('https://auth.example.com/token', () => HttpResponse.json({ access_token: 'fresh' })));
    network.use(
      http.post('https://api.example.com/v1/chat', ({ request }) => {
        seen.push(request.headers.get('authorization'));
        return new HttpResponse(null, { status: seen.at(-1) === 'Bearer fresh' ? 200 : 401 });
      }),
    );
    await import('../examples/refresh-token.ts');
    expect(said).toEqual(['200']);
    expect(seen).toEqual(['Bearer expired-token', 'Bearer fresh']);
  });

  test('controller: a person who cannot wait does not have to', async () => {
    network.use(
      replay('https://api.openai.com/v1/chat/completions', 'openai-503-server-is-overloaded', completions.openai('Hi')),
    );
    await import('../examples/controller.ts');
    expect(said[0]).toMatch(/^⚠ Service overloaded .*retrying in .*attempt 1 of 3$/);
    expect(said[1]).toBe('200');
  });

  test('fleet: a healthy call is admitted at once', async () => {
    network.use(replay('https://api.openai.com/v1/models', () => Response.json({ data: [] })));
    await import('../examples/fleet.ts');
    expect(said).toEqual(['200']);
  });

  test('llm: a provider that takes `retry` streams its answer after an overload', async () => {
    network.use(
      replay('https://api.anthropic.com/v1/messages', overloaded, completions.anthropicStream('Hello there')),
    );
    await import('../examples/llm.ts');
    expect(said.join('\n')).toMatch(/Overloaded — attempt 2 in 2ms[\s\S]*Hello there/);
  });
});

describe('documentation', () => {
  const pages = [
    'README.md',
    ...readdirSync('docs')
      .filter((name) => name.endsWith('.md'))
      .map((name) => `docs/${name}`),
  ];

  test.each(pages)('%s shows its examples as they are', (page) => {
    const text = readFileSync(page, 'utf8');
    for (const [, name, code] of text.matchAll(/<!-- example: ([\w.-]+) -->\n```ts\n([\s\S]*?)```/g)) {
      expect(code).toBe(readFileSync(`examples/${name}`, 'utf8'));
    }
  });

  test('the README shows at least one', () => {
    expect(readFileSync('README.md', 'utf8')).toContain('<!-- example: ten-lines.ts -->');
  });
});
