/**
 * Writes docs/sdks/requests.md, the tables of what one call costs: `node tools/sdks/requests.ts --write` measures
 * everything and writes; the tests measure again and compare.
 */

import { readFile, writeFile } from 'node:fs/promises';
import { startApiServer } from './api-server.ts';
import { type Client, clients } from './clients/index.ts';
import { type Arrangement, ARRANGEMENTS, type Count, countRequests } from './count.ts';
import { startFastTime } from './fast-time.ts';
import { type Situation, situations } from './situations.ts';

export const REQUESTS_PAGE: URL = new URL('../../docs/sdks/requests.md', import.meta.url);

export interface Row {
  readonly client: Client;
  readonly counts: Readonly<Record<Arrangement, Count>>;
}

export interface Table {
  readonly situation: Situation;
  readonly rows: readonly Row[];
}

/** Makes every call of every table. */
export async function measure(): Promise<readonly Table[]> {
  const time = startFastTime();
  const server = await startApiServer(time.now);
  try {
    const tables: Table[] = [];
    for (const situation of situations) {
      const rows: Row[] = [];
      for (const client of clients) {
        const count = (arrangement: Arrangement) => countRequests(server, time, client, situation, arrangement);
        rows.push({
          client,
          counts: {
            alone: await count('alone'),
            both: await count('both'),
            'both-marked': await count('both-marked'),
            ours: await count('ours'),
          },
        });
      }
      tables.push({ situation, rows });
    }
    return tables;
  } finally {
    time.end();
    await server.close();
  }
}

/** The page. `date`: the day it was measured, as 2026-11-20. */
export async function render(tables: readonly Table[], date: string): Promise<string> {
  return `${HEAD.replace('{date}', date).replace('{versions}', await versions())}
${tables.map(renderTable).join('\n')}`;
}

/** The day on which a page says it was measured. */
export function dateOf(page: string): string {
  return /\d{4}-\d{2}-\d{2}/.exec(page)?.[0] ?? '';
}

const HEAD = `<!-- Written by \`node tools/sdks/requests.ts --write\`; the tests measure again and compare. -->
# What one call costs

The tables count the requests that reach the API when a program makes one call. Measured on {date} against a local server
that plays the APIs.

- **SDK alone**: as it is installed, with its own retries.
- **Both**: \`fetch: createRetryFetch()\`, and the SDK's own retries left on.
- **Both, marked**: the same with \`markFinalResponse: true\`.
- **Ours**: \`fetch: createRetryFetch()\`, and the SDK's own retries switched off. [The options](README.md) that the pages
  recommend have eight retries: in an outage a call then sends 9 requests, not 4.

A number alone: the call was answered. ✗: it ended in the SDK's error. ∅: it ended as a success without a word. ⏸: the SDK
waits for 24 days. \`@google/genai\` retries nothing and \`ky\` no POST by default; here both are set to retry.

Versions: {versions}.
`;

const TITLES: Readonly<Record<Arrangement, string>> = {
  alone: 'SDK alone',
  both: 'Both',
  'both-marked': 'Both, marked',
  ours: 'Ours',
};

const MARKS: Readonly<Record<Count['end'], string>> = { answer: '', error: ' ✗', empty: ' ∅', asleep: ' ⏸' };

function renderTable({ situation, rows }: Table): string {
  const lines = rows.map(({ client, counts }) => {
    const cells = ARRANGEMENTS.map((arrangement) => counts[arrangement].requests + MARKS[counts[arrangement].end]);
    return `| ${[client.name, ...cells].join(' | ')} |`;
  });
  return `## ${situation.title}

${situation.story}

| | ${ARRANGEMENTS.map((arrangement) => TITLES[arrangement]).join(' | ')} |
| --- | ${ARRANGEMENTS.map(() => '---:').join(' | ')} |
${lines.join('\n')}
`;
}

/** `openai` 7.55.0, `ai` 7.0.173, … */
async function versions(): Promise<string> {
  const { devDependencies }: { devDependencies: Readonly<Record<string, string>> } = JSON.parse(
    await readFile(new URL('package.json', import.meta.url), 'utf8'),
  );
  return Object.entries(devDependencies)
    .map(([name, version]) => `\`${name}\` ${version}`)
    .join(', ');
}

if (import.meta.main) {
  const isWriting = process.argv.includes('--write');
  const page = await readFile(REQUESTS_PAGE, 'utf8').catch(() => '');
  const date = isWriting ? new Date().toISOString().slice(0, 10) : dateOf(page);
  const rendered = await render(await measure(), date);
  if (isWriting) await writeFile(REQUESTS_PAGE, rendered);
  else if (rendered !== page) {
    console.error('docs/sdks/requests.md is not what is measured now: node tools/sdks/requests.ts --write');
    process.exitCode = 1;
  }
}
