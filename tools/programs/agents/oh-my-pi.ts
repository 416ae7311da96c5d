import { type Agent, API_KEY, PROMPT, platform } from './agent.ts';

export const ohMyPi: Agent = {
  name: 'oh-my-pi',
  packages: ['@oh-my-pi/pi-coding-agent@18.2.3', 'bun@1.4.5'],
  bin: 'node_modules/@oh-my-pi/pi-coding-agent/dist/cli.js',
  runner: [`node_modules/@oven/bun-${platform}/bin/bun`],
  api: 'chat',
  isStreamed: true,
  start: ({ baseUrl }) => ({
    args: ['--print', '--provider', 'local', '--model', 'gpt-5', PROMPT],
    env: { PI_OFFLINE: '1', PI_SKIP_VERSION_CHECK: '1' },
    files: {
      '.omp/agent/models.yml': `providers:
  local:
    baseUrl: ${baseUrl}/v1
    api: openai-completions
    apiKey: ${API_KEY}
    models:
      - id: gpt-5
        name: gpt-5
        contextWindow: 128000
        maxTokens: 4096
`,
    },
  }),
};
