import { type Agent, API_KEY } from './agent.ts';

export const aicommits: Agent = {
  name: 'aicommits',
  packages: ['aicommits@3.4.0'],
  bin: 'node_modules/aicommits/dist/cli.mjs',
  runner: 'node',
  api: 'chat',
  isStreamed: false,
  start: ({ baseUrl }) => ({
    args: ['--yes'],
    env: {},
    files: {
      '.aicommits': `provider=custom\nOPENAI_API_KEY=${API_KEY}\nOPENAI_BASE_URL=${baseUrl}/v1\nOPENAI_MODEL=gpt-5\n`,
    },
  }),
};
