import { type Agent, API_KEY, platform, PROMPT } from './agent.ts';

export const opencode: Agent = {
  name: 'opencode',
  packages: ['opencode-ai@1.18.33'],
  bin: `node_modules/opencode-${platform}/bin/opencode`,
  api: 'messages',
  isStreamed: true,
  start: ({ baseUrl }) => ({
    args: ['run', '--model', 'anthropic/claude-sonnet-4-5', PROMPT],
    env: { OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_LSP_DOWNLOAD: '1' },
    files: {
      '.config/opencode/opencode.json': JSON.stringify({
        autoupdate: false,
        share: 'disabled',
        provider: {
          anthropic: {
            options: { baseURL: `${baseUrl}/v1`, apiKey: API_KEY },
            models: { 'claude-sonnet-4-5': {} },
          },
        },
      }),
    },
  }),
};
