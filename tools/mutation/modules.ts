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

/** From the first request to the outcome, but for the decision itself. */
const LOOP =
  'abort,admission,announcer,approach,attempt,call,call-log,controller,deliberation,exchange,give-back,hold,repeat,retry-loop,sender,verdict,wait';

export const MODULES: readonly MutatedModule[] = [
  { name: 'decide', sources: ['decide.ts'], tests: ['decide*.test.ts'] },
  { name: 'backoff', sources: ['backoff.ts'], tests: ['backoff.test.ts'] },
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
    sources: [`{${LOOP}}.ts`, 'fallback/*.ts'],
    tests: [`{${LOOP},aborting,call-*,forerunner}.test.ts`, 'fallback/!(rotation-under-load).test.ts'],
  },
  { name: 'stream', sources: ['stream/**/*.ts'], tests: ['stream/**/*.test.ts', 'hold.test.ts'] },
  {
    name: 'requests',
    sources: ['{request-copy,response-body,retry-fetch,retry-transport,fetch-transport}.ts'],
    tests: [
      '{request-*,response-*,retry-fetch*,retry-transport,fetch-transport,aborting,call}.test.ts',
      'fallback/!(rotation-under-load).test.ts',
    ],
  },
  { name: 'redact', sources: ['redact.ts'], tests: ['{redact,secrets}.test.ts'] },
  // Without the simulation of a fleet, which takes seconds.
  { name: 'gate', sources: ['gate/**/*.ts'], tests: ['gate/**/!(herd).test.ts'] },
];
