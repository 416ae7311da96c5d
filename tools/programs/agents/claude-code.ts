import { type Agent, API_KEY, platform, PROMPT } from './agent.ts';

export const claudeCode: Agent = {
  name: 'claude-code',
  packages: ['@anthropic-ai/claude-code@2.1.330'],
  bin: `node_modules/@anthropic-ai/claude-code-${platform}/claude`,
  api: 'messages',
  isStreamed: true,
  start: ({ baseUrl }) => ({
    // Only this format shows the events of its retries.
    args: ['-p', PROMPT, '--output-format', 'stream-json', '--verbose'],
    env: {
      ANTHROPIC_BASE_URL: baseUrl,
      ANTHROPIC_API_KEY: API_KEY,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      DISABLE_ERROR_REPORTING: '1',
    },
  }),
};
