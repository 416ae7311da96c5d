import { type Agent, API_KEY, PROMPT } from './agent.ts';

export const pi: Agent = {
  name: 'pi',
  packages: ['@earendil-works/pi-coding-agent@0.87.1'],
  bin: 'node_modules/@earendil-works/pi-coding-agent/dist/bundle/cli.js',
  runner: 'node',
  api: 'messages',
  isStreamed: true,
  start: ({ baseUrl }) => ({
    args: ['--offline', '--print', '--provider', 'local', '--model', 'claude', PROMPT],
    env: { PI_OFFLINE: '1', PI_SKIP_VERSION_CHECK: '1' },
    files: {
      '.pi/agent/models.json': JSON.stringify({
        providers: {
          local: { baseUrl, api: 'anthropic-messages', apiKey: API_KEY, models: [{ id: 'claude' }] },
        },
      }),
    },
  }),
};
