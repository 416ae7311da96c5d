import { type Agent, API_KEY, PROMPT } from './agent.ts';

export const codex: Agent = {
  name: 'codex',
  packages: ['@openai/codex@0.169.0'],
  bin: 'node_modules/@openai/codex/bin/codex.js',
  runner: 'node',
  api: 'responses',
  isStreamed: true,
  start: ({ baseUrl }) => ({
    args: ['exec', '--skip-git-repo-check', '--sandbox', 'read-only', PROMPT],
    env: { CODEX_API_KEY: API_KEY },
    files: {
      '.codex/config.toml': [
        `openai_base_url = "${baseUrl}/v1"`,
        'model = "gpt-5"',
        'check_for_update_on_startup = false',
        '[analytics]',
        'enabled = false',
        '',
      ].join('\n'),
    },
  }),
};
