import { type Agent, API_KEY } from './agent.ts';

export const opencommit: Agent = {
  name: 'opencommit',
  packages: ['opencommit@3.3.10'],
  bin: 'node_modules/opencommit/out/cli.cjs',
  runner: 'node',
  api: 'chat',
  isStreamed: false,
  start: ({ baseUrl }) => ({
    args: ['--yes'],
    env: {
      OCO_AI_PROVIDER: 'openai',
      OCO_API_KEY: API_KEY,
      OCO_API_URL: `${baseUrl}/v1`,
      OCO_MODEL: 'gpt-4o-mini',
      OCO_GITPUSH: 'false',
    },
  }),
};
