import { type Agent, API_KEY } from './agent.ts';

/** Its time limit covers its own retries too: with the default of 15 s it shows only that, and not why a request failed. */
const settings = ['provider=custom', `OPENAI_API_KEY=${API_KEY}`, 'OPENAI_MODEL=gpt-5', 'timeout=120000'];

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
    files: { '.aicommits': [...settings, `OPENAI_BASE_URL=${baseUrl}/v1`].join('\n') },
  }),
};
