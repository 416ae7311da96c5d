import { type Agent, API_KEY, PROMPT } from './agent.ts';

export const qwen: Agent = {
  name: 'qwen',
  packages: ['@qwen-code/qwen-code@0.24.4'],
  bin: 'node_modules/@qwen-code/qwen-code/cli-entry.js',
  runner: 'node',
  api: 'chat',
  isStreamed: true,
  start: ({ baseUrl }) => ({
    args: ['--auth-type', 'openai', '--prompt', PROMPT],
    env: { OPENAI_API_KEY: API_KEY, OPENAI_BASE_URL: `${baseUrl}/v1`, OPENAI_MODEL: 'qwen3-coder-plus' },
    files: {
      '.qwen/settings.json': JSON.stringify({
        general: { disableAutoUpdate: true, enableAutoUpdate: false },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
      }),
    },
  }),
};
