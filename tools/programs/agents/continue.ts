import { type Agent, API_KEY, PROMPT } from './agent.ts';

export const continueCli: Agent = {
  name: 'continue',
  packages: ['@continuedev/cli@1.5.47'],
  bin: 'node_modules/@continuedev/cli/dist/cn.js',
  runner: 'node',
  api: 'chat',
  isStreamed: true,
  start: ({ baseUrl, home }) => ({
    args: ['--config', `${home}/config.yaml`, '--print', PROMPT],
    env: { CONTINUE_TELEMETRY_ENABLED: '0', CONTINUE_METRICS_ENABLED: '0' },
    files: {
      'config.yaml': `name: local
version: 0.0.1
schema: v1
models:
  - name: local
    provider: openai
    model: gpt-4o
    apiKey: ${API_KEY}
    apiBase: ${baseUrl}/v1
    roles: [chat]
`,
    },
  }),
};
