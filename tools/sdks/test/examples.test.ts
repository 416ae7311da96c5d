import { readdir, readFile } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Answer } from '../../../mocks/recording.ts';
import { type ApiServer, type Scene, startApiServer, type Step } from '../api-server.ts';
import type { Api } from '../../../bench/apis.ts';
import { REPLY } from '../clients/client.ts';
import { CALL_TIMEOUT_MS, recommended, standard } from '../recommended.ts';
import { rateLimit, refusedStream, type Situation } from '../situations.ts';

const PAGES = new URL('../../../docs/sdks/', import.meta.url);
const EXAMPLES = new URL('../examples/', import.meta.url);

interface Example {
  readonly name: string;
  readonly sdk: keyof typeof recommended;
  readonly apis: readonly Api[];
  readonly isStreamed: boolean;
  readonly run: () => Promise<unknown>;
}

const examples: readonly Example[] = [
  {
    name: 'ai-sdk',
    sdk: 'ai',
    apis: ['messages', 'gemini', 'responses'],
    isStreamed: true,
    run: () => import('../examples/ai-sdk.ts'),
  },
  {
    name: 'anthropic',
    sdk: '@anthropic-ai/sdk',
    apis: ['messages'],
    isStreamed: true,
    run: () => import('../examples/anthropic.ts'),
  },
  {
    name: 'google-genai',
    sdk: '@google/genai',
    apis: ['gemini'],
    isStreamed: true,
    run: () => import('../examples/google-genai.ts'),
  },
  { name: 'ky', sdk: 'ky', apis: ['chat'], isStreamed: false, run: () => import('../examples/ky.ts') },
  {
    name: 'langchain',
    sdk: '@langchain/openai',
    apis: ['chat'],
    isStreamed: true,
    run: () => import('../examples/langchain.ts'),
  },
  { name: 'openai', sdk: 'openai', apis: ['chat'], isStreamed: true, run: () => import('../examples/openai.ts') },
];

test('every example is run', async () => {
  const files = await readdir(EXAMPLES);
  expect(files.toSorted()).toEqual(examples.map(({ name }) => `${name}.ts`));
});

describe('running an example', () => {
  let server: ApiServer;
  beforeAll(async () => {
    server = await startApiServer(Date.now);
  });
  afterAll(() => server.close());
  beforeEach(() => {
    for (const name of ['OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'GEMINI_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY']) {
      vi.stubEnv(name, 'sk-loopback');
    }
  });

  test.each(examples)(
    '$name gets its answer through a rate limit and a refused stream',
    async ({ apis, isStreamed, run }) => {
      const scenes = new Map(apis.map((api) => [api, server.play(...badDay(api, isStreamed))]));
      redirectFetch(scenes);
      const written: string[] = [];
      vi.spyOn(process.stdout, 'write').mockImplementation((text) => written.push(String(text)) > 0);
      await run();
      vi.restoreAllMocks();
      expect(written.join('')).toBe(REPLY.repeat(apis.length));
      for (const { requests } of scenes.values()) expect(requests).toHaveLength(isStreamed ? 3 : 2);
    },
  );
});

describe('the page of an SDK', () => {
  test.each(examples)('$name shows the example as it is run', async ({ name }) => {
    const [page, example] = await Promise.all([
      readFile(new URL(`${name}.md`, PAGES), 'utf8'),
      readFile(new URL(`${name}.ts`, EXAMPLES), 'utf8'),
    ]);
    expect(page).toContain(`<!-- example: tools/sdks/examples/${name}.ts -->\n\`\`\`ts\n${example}\`\`\`\n`);
  });

  test.each(examples)('$name recommends the options that are measured', async ({ name, sdk }) => {
    const example = await readFile(new URL(`${name}.ts`, EXAMPLES), 'utf8');
    expect(example).toContain(`createRetryFetch(${recommended[sdk]})`);
  });

  test('is linked from the table of SDKs, and every link leads to a page', async () => {
    const table = await readFile(new URL('README.md', PAGES), 'utf8');
    const linked = Array.from(table.matchAll(/\]\(([a-z-]+\.md)(?:#[^)]*)?\)/g), ([, file]) => file);
    const pages = (await readdir(PAGES)).filter((file) => file !== 'README.md');
    expect(new Set(linked)).toEqual(new Set(pages));
  });
});

test('the table of SDKs recommends the options that are measured', async () => {
  const table = await readFile(new URL('README.md', PAGES), 'utf8');
  const shown = new Map(
    Array.from(table.matchAll(/^\| (.+?) \| `(\{.+?\}|presets\.\w+)` \|/gm)).flatMap(([, sdks = '', options]) =>
      sdks
        .replaceAll(/\[|\]\(.*?\)/g, '')
        .split(', ')
        .map((sdk) => [sdk, options] as const),
    ),
  );
  for (const [sdk, options] of Object.entries(recommended)) expect(shown.get(sdk)).toBe(options);
  expect(shown.get('others with a `fetch`')).toBe(standard);
  const [, timeout = ''] = /new Groq\(\{ fetch, timeout: ([\d_]+) \}\)/.exec(table) ?? [];
  expect(Number(timeout.replaceAll('_', ''))).toBe(CALL_TIMEOUT_MS);
});

function badDay(api: Api, isStreamed: boolean): readonly [Step, ...Step[]] {
  const rateLimited = hurried(failureOf(rateLimit, api));
  return isStreamed ? [rateLimited, hurried(failureOf(refusedStream, api)), 'reply'] : [rateLimited, 'reply'];
}

function failureOf(situation: Situation, api: Api): Answer {
  const [step] = situation.steps[api];
  if (step === 'reply') throw new Error(`“${situation.title}” begins well.`);
  return 'answer' in step ? step.answer : step;
}

/** The examples take the defaults, and so wait for real: as long as the server says. */
function hurried(answer: Answer): Answer {
  return { ...answer, headers: { ...answer.headers, 'retry-after-ms': '1' } };
}

const HOSTS: Readonly<Record<string, readonly Api[]>> = {
  'api.openai.com': ['chat', 'responses'],
  'api.anthropic.com': ['messages'],
  'generativelanguage.googleapis.com': ['gemini'],
};

/** Sends to the scene of its API what an example sends to a provider. */
function redirectFetch(scenes: ReadonlyMap<Api, Scene>): void {
  const realFetch = globalThis.fetch;
  vi.stubGlobal('fetch', (input: string | URL | Request, init?: RequestInit) => {
    const { hostname, pathname, search } = new URL(input instanceof Request ? input.url : input);
    const api = HOSTS[hostname]?.find((known) => scenes.has(known));
    const scene = api && scenes.get(api);
    if (scene === undefined) throw new Error(`An example asked ${hostname}.`);
    const url = scene.baseUrl + pathname + search;
    return input instanceof Request ? realFetch(new Request(url, input), init) : realFetch(url, init);
  });
}
