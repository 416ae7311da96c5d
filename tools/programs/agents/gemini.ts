import { type Agent, API_KEY, PROMPT } from './agent.ts';

export const gemini: Agent = {
  name: 'gemini',
  packages: ['@google/gemini-cli@0.61.0'],
  bin: 'node_modules/@google/gemini-cli/bundle/gemini.js',
  runner: 'node',
  api: 'gemini',
  isStreamed: true,
  start: ({ baseUrl }) => ({
    args: ['--skip-trust', '--model', 'gemini-2.5-flash', '--prompt', PROMPT],
    env: { GEMINI_API_KEY: API_KEY, GOOGLE_GEMINI_BASE_URL: baseUrl },
    files: {
      '.gemini/settings.json': JSON.stringify({
        general: { disableAutoUpdate: true, enableAutoUpdate: false },
        privacy: { usageStatisticsEnabled: false },
        security: { auth: { selectedType: 'gemini-api-key' } },
        telemetry: { enabled: false },
      }),
    },
  }),
};
