/**
 * Which page of the repository stands where on the site. The sidebar is this list: first by what a person wants to do,
 * then, apart, what only maintainers read. A test fails if a page of docs/ is missing.
 */

export interface PlacedPage {
  /** The file, from the root of the repository; none for a page that the build makes. */
  readonly source?: string;
  /** The address on the site, without a slash at its beginning and without an extension. */
  readonly path: string;
  /** What the sidebar says. */
  readonly title: string;
}

export interface Section {
  readonly title: string;
  readonly pages: readonly PlacedPage[];
}

const doc = (name: string, title: string, path = name): PlacedPage => ({ source: `docs/${name}.md`, path, title });
const generated = (path: string, title: string): PlacedPage => ({ path, title });

export const USERS: readonly Section[] = [
  {
    title: 'Begin',
    pages: [
      doc('problems', 'I have this problem'),
      { source: 'README.md', path: 'start', title: 'Get started' },
      generated('demo', 'See it: a chat that waits'),
      doc('installing', 'Install it'),
      doc('bad-day', "A provider's bad day"),
    ],
  },
  {
    title: 'With your SDK or program',
    pages: [
      doc('sdks/README', 'All SDKs', 'sdks/index'),
      doc('sdks/openai', 'openai'),
      doc('sdks/anthropic', '@anthropic-ai/sdk'),
      doc('sdks/ai-sdk', 'ai (Vercel)'),
      doc('sdks/google-genai', '@google/genai'),
      doc('sdks/langchain', 'LangChain'),
      doc('sdks/ky', 'ky'),
      doc('mcp', 'MCP and the global fetch'),
      doc('with-retry', 'Any function'),
      doc('proxy', 'Any language: the proxy'),
    ],
  },
  {
    title: 'On a server',
    pages: [
      doc('server', 'Limits, and what the browser sees'),
      doc('next', 'Next.js and the AI SDK'),
      doc('express', 'Express'),
      doc('nestjs', 'NestJS'),
      doc('durable', 'Waits that survive a restart'),
    ],
  },
  {
    title: 'Streams and time limits',
    pages: [doc('streams', 'Streams'), doc('time-limits', 'Time limits'), doc('slow-models', 'Slow and local models')],
  },
  {
    title: 'Rate limits',
    pages: [doc('fleets', 'Many callers, one limit'), doc('batch', '500 calls: a batch')],
  },
  {
    title: 'Show the wait',
    pages: [doc('ui', 'In a user interface')],
  },
  {
    title: 'Test',
    pages: [{ source: 'mocks/README.md', path: 'testing', title: 'Replay recorded failures' }],
  },
  {
    title: 'Coming from another library',
    pages: [doc('migrating', 'Migrate, option by option')],
  },
  {
    title: 'Why it waits, why it stops',
    pages: [
      doc('waiting', 'How long it waits'),
      doc('stopping', 'When it stops'),
      doc('classification', 'What a failure is'),
      doc('failures', 'Every recorded failure'),
      doc('fallback', 'Another model, provider or key'),
    ],
  },
  {
    title: 'Look it up',
    pages: [
      doc('options', 'Options'),
      doc('entries', 'Entry points'),
      generated('api/index', 'API'),
      generated('examples/index', 'Examples'),
      doc('command', 'The command'),
      doc('README', 'All pages', 'pages'),
      { source: 'SECURITY.md', path: 'security', title: 'Security' },
      { source: 'CHANGELOG.md', path: 'changes', title: 'Changes' },
    ],
  },
];

const apart = (source: string, path: string, title: string): PlacedPage => ({
  source,
  path: `maintainers/${path}`,
  title,
});

export const MAINTAINERS: readonly Section[] = [
  {
    title: 'How it is judged',
    pages: [
      apart('docs/features.md', 'features', 'Features and their tests'),
      apart('docs/accuracy.md', 'accuracy', 'Accuracy'),
      apart('docs/mutation.md', 'mutation', 'Mutation testing'),
      apart('docs/programs.md', 'programs', 'Real programs'),
      apart('docs/sdks/requests.md', 'requests', 'Requests of the SDKs'),
      apart('docs/benchmarks.md', 'benchmarks', 'Benchmarks'),
      apart('bench/herd/README.md', 'herd', 'The herd'),
      apart('bench/limiters/README.md', 'limiters', 'Limiters'),
      apart('bench/limiters/real/README.md', 'real-limiters', 'Real limiters'),
    ],
  },
  {
    title: 'The bad day, trouble by trouble',
    pages: [
      apart('bench/bad-day/README.md', 'bad-day', 'How it is run'),
      ...(
        [
          ['overload', 'Overload'],
          ['minute', 'A minute of 429'],
          ['bad-gateway', '502 pages'],
          ['resets', 'Resets'],
          ['json-body', 'Broken bodies'],
          ['error-event', 'Error in a 200'],
          ['broken-stream', 'Broken streams'],
          ['outage', 'Outage of 45 s'],
          ['load', 'Limit under load'],
          ['mixed-day', 'Mixed day'],
          ['quota', 'Used-up quota'],
          ['too-long', 'Prompt too long'],
        ] as const
      ).map(([name, title]) => apart(`docs/bad-day/${name}.md`, `bad-day-${name}`, title)),
    ],
  },
  {
    title: 'Change it',
    pages: [apart('CONTRIBUTING.md', 'contributing', 'Contributing'), apart('tools/README.md', 'tools', 'Tools')],
  },
];

export const PAGES: readonly PlacedPage[] = [...USERS, ...MAINTAINERS].flatMap(({ pages }) => pages);
