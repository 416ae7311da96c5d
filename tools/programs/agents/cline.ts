import { type Agent, API_KEY, platform, PROMPT } from './agent.ts';

const model = 'gpt-5';

export const cline: Agent = {
  name: 'cline',
  packages: ['cline@3.0.65'],
  bin: `node_modules/@cline/cli-${platform}/bin/cline`,
  api: 'chat',
  isStreamed: true,
  start: ({ baseUrl }) => ({
    args: [PROMPT],
    env: { CLINE_TELEMETRY_DISABLED: '1' },
    files: {
      // The settings that `cline auth openai --baseurl …` writes.
      '.cline/data/settings/providers.json': JSON.stringify({
        version: 1,
        lastUsedProvider: 'openai-compatible',
        modes: {},
        providers: {
          'openai-compatible': {
            settings: { provider: 'openai-compatible', apiKey: API_KEY, model, baseUrl: `${baseUrl}/v1` },
            updatedAt: '2026-11-22T00:00:00.000Z',
            tokenSource: 'manual',
          },
        },
      }),
    },
  }),
};
