/**
 * The modules that decide whether and when to ask again, and for each the tests that are run against its mutants: its
 * own, and those beside it that are as quick. No sockets, no processes, no Redis, no documents.
 */

export interface MutatedModule {
  readonly name: string;
  /** Below src/. */
  readonly sources: readonly string[];
  /** Below test/. */
  readonly tests: readonly string[];
  /** @default 'threads', which start faster */
  readonly pool?: 'forks';
}

/** What is known of each provider: tables, of which every mutant has to be run with every test. */
const PROVIDERS =
  'alibaba,anthropic,azure,baidu,bedrock,cohere,common,deepseek,gateways,google,groq,minimax,mistral,moonshot,ollama,openai,openrouter,tencent,together,vllm,volcengine,xai,zhipu';
const families = PROVIDERS.replaceAll(',', '|');

export const MODULES: readonly MutatedModule[] = [
  { name: 'decide', sources: ['loop/decide.ts'], tests: ['loop/decide*.test.ts'] },
  { name: 'backoff', sources: ['policy/backoff.ts'], tests: ['policy/backoff.test.ts'] },
  // In processes, for a test sets the zone of its own.
  { name: 'hints', sources: ['hints/**/*.ts'], tests: ['hints/**/*.test.ts'], pool: 'forks' },
  // Without what measures time, and without the recordings: half a second for each of two thousand mutants.
  {
    name: 'classify',
    sources: [`classify/!(${families}).ts`],
    tests: ['classify/**/!(cost|recordings).test.ts'],
  },
  {
    name: 'providers',
    sources: [`classify/{${PROVIDERS}}.ts`],
    tests: [`classify/{${PROVIDERS},provider,rules,vocabulary}.test.ts`],
  },
  {
    name: 'loop',
    sources: ['loop/!(decide|request-copy).ts', 'fallback/*.ts', 'events/{announcer,controller}.ts'],
    tests: ['loop/**/*.test.ts', 'events/*.test.ts', 'forerunner.test.ts', 'fallback/!(rotation-under-load).test.ts'],
  },
  { name: 'stream', sources: ['stream/**/*.ts'], tests: ['stream/**/*.test.ts', 'loop/hold.test.ts'] },
  {
    name: 'requests',
    sources: ['loop/request-copy.ts', 'stream/response-body.ts', '{retry-fetch,retry-transport,fetch-transport}.ts'],
    tests: [
      '{retry-fetch*,retry-transport,fetch-transport}.test.ts',
      '{loop,stream}/{request,response,abort,call}*.test.ts',
      'fallback/!(rotation-under-load).test.ts',
    ],
  },
  { name: 'redact', sources: ['failure/redact.ts'], tests: ['failure/{redact,secrets,public-url}.test.ts'] },
  // Without the simulation of a fleet, which takes seconds.
  { name: 'gate', sources: ['gate/**/*.ts'], tests: ['gate/**/!(herd).test.ts'] },
];
