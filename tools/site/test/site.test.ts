import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { USERS } from '../contents.ts';
import { OUTPUT } from '../folders.ts';
import { searchSite } from '../search-site.ts';
import { WORDS } from '../words.ts';

const read = (name: string): string => readFileSync(join(OUTPUT, name), 'utf8');

/** A complaint as a person would type it, and the page that has to be among the first three results. */
const COMPLAINTS: readonly (readonly [words: string, page: string])[] = [
  ['Error: 429 You exceeded your current quota, please check your plan and billing details', 'problems'],
  ['my stream hangs and no tokens arrive any more', 'problems'],
  ['Vercel function timed out maxDuration', 'server'],
  ['500 calls from a list, and a program that continues where it stopped', 'batch'],
  ['how do I migrate from p-retry', 'migrating'],
  ['React Native Expo', 'problems'],
];

/** Complaints whose words differ from those of the page, and the section that has to be among the first three results. */
const SECTIONS: readonly (readonly [words: string, section: RegExp])[] = [
  ['[Bug]: APIConnectionError from crewAI v1.2.3', /econnreset/],
  ['openai.InternalServerError', /502-bad-gateway/],
  ['Assistant stops replying mid-sentence', /the-answer-stops-in-the-middle/],
  ['Feature request: interruption of a running answer', /i-cannot-cancel-it/],
  ['Please add a cap for my costs', /prices-and-budgets/],
  ['the OpenAI batch job failed', /500-prompts-from-a-csv-file/],
  ['API request failed: an error', /something-went-wrong/],
  ['http503 now', /service-unavailable/],
  ['a complete reply never arrives', /the-answer-stops-in-the-middle/],
  ['Failed calls incur costs that are not tracked', /prices-and-budgets/],
  ['the default inverts error handling: 4xx are retried', /it-retries-what-it-should-not/],
  ['maxTokens is too close to contextLength', /context_length_exceeded/],
  ['the embedding ignores the base url setting', /ignored-base-url/],
  ['I never reach my limit until I use this thing 2-3 times', /usage-limit-reached/],
  ['the agent keeps in reconnection', /wi-fi-lost/],
  ['functions should respect cancellation tokens', /i-cannot-cancel-it/],
  ['stream() buffers the entire response before emitting chunks', /streaming-does-not-work/],
  ['how can I fix this import error?', /downloading-or-starting/],
  ['add a proxy setting, I sit behind a company firewall with a certificate', /a-certificate-tls/],
  ['the gateway could not be reached', /econnreset/],
  ['there is no retry here', /it-does-not-retry-at-all/],
  ['please do not retry a permanent failure', /it-retries-what-it-should-not/],
  ['failed calls are missing in the audit log', /i-want-logs/],
  ['a limit per user for my chatbot', /a-rate-limit-for-my-own/],
  ['Cline forgets my theme', /a-program/],
  ['do failed requests cost credit', /charged-billed/],
  ['it deducted my credit although the request failed', /charged-billed/],
  ['malformed chunk', /a-server-or-gateway-that-answers-badly/],
];

describe('the search', () => {
  test.each(COMPLAINTS)('for "%s" finds %s', async (words, page) => {
    const found = await searchSite(words);
    expect(found.slice(0, 5).map(({ id }) => id.replace(/^\/|\.html.*$/g, ''))).toContain(page);
  });

  test.each(SECTIONS)('for "%s" finds the section %s', async (words, section) => {
    const found = await searchSite(words);
    expect(found.slice(0, 3).map(({ id }) => section.test(id))).toContain(true);
  });

  test('further words belong to one section each', () => {
    const anchors = [...read('problems.html').matchAll(/<h3 id="([^"]+)"/g)].flatMap(([, anchor]) => anchor ?? []);
    const isOne = (start: string): boolean => anchors.filter((anchor) => anchor.startsWith(start)).length === 1;
    expect(Object.keys(WORDS).filter((start) => !start.startsWith('/') && !isOne(start))).toEqual([]);
  });

  test('the name of a program finds what helps with a program', async () => {
    const found = await searchSite('Goose');
    expect(found.slice(0, 3).map(({ id }) => /a-program/.test(id))).toContain(true);
  });

  test('ends a word that is still being typed', async () => {
    const found = await searchSite('retry over');
    expect(found.slice(0, 3).map(({ id }) => /overload/.test(id))).toContain(true);
  });

  test('does not answer with a heading that only groups problems', async () => {
    const found = await searchSite('it runs twice');
    expect(found.slice(0, 3).map(({ id }) => id)).not.toContain('/problems.html#twice');
  });

  test('does not answer with words that are on every page', async () => {
    expect(await searchSite('how do I get the')).toEqual([]);
  });
});

test('llms.txt names every page that users read, and each is there as Markdown', () => {
  const text = read('llms.txt');
  const paths = USERS.flatMap(({ pages }) => pages).map(({ path }) => `${path}.md`);
  const named = paths.filter((path) => !path.startsWith('api/'));
  expect(named.filter((path) => !text.includes(`(/${path})`) || !existsSync(join(OUTPUT, path)))).toEqual([]);
  expect(read('llms-full.txt').length).toBeGreaterThan(100_000);
});

test('the home page begins with the sentences of README, without marks of Markdown', () => {
  const [, , sentences = ''] = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8').split('\n');
  const shown = read('index.html')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ');
  for (const sentence of sentences.split(/(?<=\.) /))
    expect(shown).toContain(sentence.replaceAll('`', '').slice(0, -1));
  const titles = [...read('index.html').matchAll(/<h2[^>]* class="title"[^>]*>([^<]*)/g)].map(([, title]) => title);
  expect(titles.length).toBeGreaterThan(3);
  expect(titles.filter((title) => title?.includes('`'))).toEqual([]);
});

test('the demo brings the worker that plays recordings, beside its page', () => {
  expect(existsSync(join(OUTPUT, 'chat-web/mockServiceWorker.js'))).toBe(true);
  expect(read('chat-web/index.html')).not.toMatch(/(?:src|href)="\//);
});

test('a table ends before the text that follows it', () => {
  const pages = readdirSync(OUTPUT, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'));
  expect(pages.filter((name) => /^\|.*\|\n[^|\n]/m.test(read(name)))).toEqual([]);
});

test('no page names a path of the machine that built it', () => {
  expect(read('index.html') + read('llms-full.txt')).not.toContain(OUTPUT.slice(0, OUTPUT.indexOf('/tools/site')));
});
