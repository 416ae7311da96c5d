/**
 * Writes docs/failures.md: every recorded failure, and the result of `classify`. The page is generated from the
 * recordings and the code, so it is always correct. Run `node scripts/list-failures.ts` after changing either.
 */

import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { bytesOf, type Recording } from '../mocks/recording.ts';
import { recordings } from '../mocks/recordings.ts';
import { classify } from '../src/classify/classify.ts';
import type { Failure } from '../src/failure/failure.ts';
import { formatDelay } from '../src/failure/format-delay.ts';

/** How the providers spell their names. Any other provider keeps the name in its recordings. */
const TITLES: Readonly<Record<string, string>> = {
  anthropic: 'Anthropic',
  'azure-openai': 'Azure OpenAI',
  bedrock: 'Amazon Bedrock',
  cloudflare: 'Cloudflare, in front of a provider',
  cohere: 'Cohere',
  deepseek: 'DeepSeek',
  envoy: 'Envoy, in front of a provider',
  generic: 'Any server',
  google: 'Google Gemini',
  'google-vertex': 'Google Vertex AI',
  groq: 'Groq',
  huggingface: 'Hugging Face',
  mistral: 'Mistral',
  nginx: 'nginx, in front of a provider',
  nvidia: 'NVIDIA NIM',
  ollama: 'Ollama',
  openai: 'OpenAI',
  'opencode-zen': 'OpenCode Zen',
  openrouter: 'OpenRouter',
  together: 'Together',
  'vercel-ai-gateway': 'Vercel AI Gateway',
  vllm: 'vLLM',
  voyage: 'Voyage',
  xai: 'xAI',
};

/** The page. */
export function failuresPage(): string {
  const all = Object.entries(recordings);
  const providers = Map.groupBy(all, ([, { provider }]) => TITLES[provider] ?? provider);
  const sections = [...providers]
    .toSorted(([one], [other]) => one.localeCompare(other, 'en', { sensitivity: 'base' }))
    .map(([title, entries]) => `## ${title}\n\n${HEAD}\n${entries.map(rowOf).join('\n')}\n`);
  return `${introduction(all.length)}\n${sections.join('\n')}`;
}

const introduction = (count: number): string => `# Recorded failures

This page lists ${count} recorded failures of providers and proxies, and how \`classify\` reads each. A recording is a JSON file; its
field \`fidelity\` says [how exact it is](../mocks/README.md#add-a-failure).

The hint is the wait that the server asks for; in brackets is the place where the server says so: a header, the body, or the
message in the body. A retry waits as long as the hint says; without a hint it waits by its schedule. If the hint is longer than
the caller accepts, the call ends at once.

\`node scripts/list-failures.ts\` writes this page from [the recordings](../mocks/README.md); change those and run it again.
`;

const HEAD = `| recording | status | type | retried | hint | worth knowing | seen |
| --- | --- | --- | --- | --- | --- | --- |`;

function rowOf([name, recording]: readonly [name: string, recording: Recording]): string {
  const { response, expected, source } = recording;
  const { status, headers } = response;
  const nowMs = Date.parse(headers['date'] ?? '') || 0;
  const failure = classify({ status, headers: { ...headers }, body: bytesOf(recording), nowMs });
  const cells = [
    `[${name}](../mocks/recordings/${name}.json)`,
    expected.phase === 'response' ? `${status}` : `${status}, then in the body`,
    failure === null ? 'a success' : `\`${failure.type}\``,
    failure?.retryable === true ? 'yes' : expected.phase === 'after-content' ? 'no: content came before' : 'no',
    hintOf(failure),
    expected.note ?? '',
    source,
  ];
  return `| ${cells.map(escaped).join(' | ')} |`;
}

function hintOf(failure: Failure | null): string {
  const { retryAfterMs, hintSource } = failure ?? {};
  if (retryAfterMs === undefined) return '';
  return `${formatDelay(retryAfterMs)} (${hintSource})`;
}

/** Escapes a server's text, which Markdown could read as markup. */
const escaped = (text: string): string => text.replace(/[|<>*]/g, '\\$&');

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(new URL('../docs/failures.md', import.meta.url), failuresPage());
}
