import { type Agent, API_KEY, PROMPT } from './agent.ts';

export const copilot: Agent = {
  name: 'copilot',
  packages: ['@github/copilot@1.0.102'],
  bin: 'node_modules/@github/copilot/npm-loader.js',
  runner: 'node',
  api: 'chat',
  isStreamed: true,
  start: ({ baseUrl }) => ({
    args: ['--prompt', PROMPT, '--allow-all-tools', '--disable-client-telemetry'],
    env: {
      COPILOT_PROVIDER_BASE_URL: `${baseUrl}/v1`,
      COPILOT_PROVIDER_API_KEY: API_KEY,
      COPILOT_MODEL: 'gpt-5',
      COPILOT_OFFLINE: 'true',
      COPILOT_AUTO_UPDATE: 'false',
    },
  }),
};
