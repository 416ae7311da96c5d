import { expect, it } from 'vitest';
import { FakeInput, run } from './fake-terminal.ts';

const NAMES = 'the commands are request, proxy, classify, demo.';
const URL = 'https://api.example.com/v1/messages';
const PROXY = ['proxy', '--target', 'https://api.example.com'];
const MORE = 'leave it out, or put quotes around a value with spaces.';
const COUNT = 'to be a whole number such as 5, got';
const DURATION = 'to be a duration such as 30s, 2m, 1h30m or 250ms, got';
const SIZE = 'to be a size such as 10MB, 64MiB or 1000, got';
const FACTOR = 'Expected --speed to be a number above 0, such as 2 for twice as fast, got';
const METHOD = 'Expected --method to be one that fetch can send, such as GET, POST, PUT, PATCH or DELETE, got';
const WITH_SCHEME = `Expected <url> to begin with http:// or https://, such as ${URL}; it begins with`;

it.each<readonly [readonly string[], string]>([
  [['serve'], `Unknown command "serve"; ${NAMES}`],
  [['help', 'serve'], `Unknown command "serve"; ${NAMES}`],
  [['https://api.example.com/'], 'Expected a command before the URL, as in: retry-transport request <url>.'],
  [['--speed', '2'], `Expected a command before --speed; ${NAMES}`],
  [['demo', 'x'], `Unexpected argument "x"; ${MORE}`],
  [['classify', 'a', 'b'], `Unexpected argument "b"; ${MORE}`],
  [['request', 'x', '--', '--help'], `Unexpected argument "--help"; ${MORE}`],
  [[...PROXY, 'more'], `Unexpected argument "more"; ${MORE}`],
  [['demo', '--sped', '2'], 'Unknown option --sped; the options are --speed, --json, --no-color, --help.'],
  [['demo', '--speed'], 'Expected a value after --speed.'],
  [
    ['demo', '--speed', '-1'],
    'Expected a value after --speed; one that begins with a dash is written --speed=-…, without a space.',
  ],
  [['demo', '--json=yes'], '--json takes no value; leave out what follows it.'],
  [['demo', '--speed=fast'], `${FACTOR} "fast".`],
  [['demo', '--speed=0'], `${FACTOR} "0".`],
  [['demo', '--speed=Infinity'], `${FACTOR} "Infinity".`],
  [['classify', '--status', '99'], 'Expected --status to be a status from 200 to 599, got "99".'],
  [['request'], 'request needs a URL, as in: request https://api.example.com/v1/messages.'],
  [['request', 'messages'], `Expected <url> to be a whole URL such as ${URL}, got "messages".`],
  [['request', 'localhost:8080/v1'], `${WITH_SCHEME} "localhost:".`],
  [['request', 'file:///etc/hosts'], `${WITH_SCHEME} "file:".`],
  [
    ['request', 'https://me:secret@example.com'],
    "Expected <url> without a user and password; send them as --header 'authorization: Basic …'.",
  ],
  [['request', URL, '-X', 'TRACE'], `${METHOD} "TRACE".`],
  [['request', URL, '-X', 'G ET'], `${METHOD} "G ET".`],
  [['request', URL, '-X', 'get', '-d', 'x'], 'GET sends no --data; leave out --method, or say --method POST.'],
  [
    ['request', URL, '-d', 'x', '-d', 'y'],
    'Expected one --data; put all of the body into it, or into a file for --data @file.',
  ],
  [
    ['request', URL, '-d', '-1'],
    'Expected a value after -d; one that begins with a dash is written -d-…, without a space.',
  ],
  [
    ['request', URL, '-d', '@/does/not/exist'],
    'Expected --data @file to name a file that can be read, got "/does/not/exist" (ENOENT).',
  ],
  // None repeats what may be a key.
  [
    ['request', URL, '-H', 'sk-secret'],
    "Expected --header to be 'name: value', such as 'x-api-key: …'; one has no name before a colon.",
  ],
  [
    ['request', URL, '-H', 'Content-Length: 3'],
    'Expected no --header "Content-Length"; leave it out, because fetch sets it itself.',
  ],
  [
    ['request', URL, '-H', 'x key: sk-secret'],
    'Expected --header "x key" to be a header: a name without spaces, a value in one line of Latin-1.',
  ],
  [
    ['request', URL, '--preset', 'eager'],
    'Expected --preset to be one of recommended, patient, background, agent, taxonomy, fleet, got "eager".',
  ],
  [[...PROXY, '--hold', 'start'], 'Expected --hold to be one of content, text, end, got "start".'],
  ...['-1', '1.5', '1e3', '0x1', '', 'many', '9999999999'].map(
    (text) => [['request', URL, `--max-retries=${text}`], `Expected --max-retries ${COUNT} "${text}".`] as const,
  ),
  ...['', ' ', '30', 's', '-5s', '5S', '30m1h', '1h1h', '5 s', '1e3s', '.5s', '5s,', 'Infinity', '9'.repeat(80)].map(
    (text) => [['request', URL, `--deadline=${text}`], `Expected --deadline ${DURATION} "${text}".`] as const,
  ),
  [['proxy'], 'proxy needs a target, as in: --target https://api.example.com.'],
  [['proxy', '--target', 'api'], 'Expected --target to be a whole URL, such as https://api.example.com.'],
  [
    ['proxy', '--target', 'http://localhost:8529'],
    'Expected --target to be another server than the proxy on port 8529 itself.',
  ],
  [[...PROXY, '--port', '65536'], 'Expected --port to be an integer from 0 to 65535, got 65536.'],
  [[...PROXY, '--max-body', '1 parsec'], `Expected --max-body ${SIZE} "1 parsec".`],
  [[...PROXY, '--max-body', ''], `Expected --max-body ${SIZE} "".`],
  [[...PROXY, '--max-calls', '0'], 'Expected --max-calls to be an integer ≥ 1, got 0.'],
  [[...PROXY, '--keep-alive', 'soon'], `Expected --keep-alive ${DURATION} "soon".`],
  [[...PROXY, '--client-timeout', '0'], 'Expected --client-timeout to be longer than 0, got "0".'],
  [
    [...PROXY, '--keep-alive', '15s', '--client-timeout', '15s'],
    'Expected --keep-alive to be shorter than --client-timeout, after which the client closes its connection.',
  ],
])('refuses %j in one line that names the fix, with exit code 2', async (words, message) => {
  expect(await run(words)).toMatchObject({ exitCode: 2, output: '', errors: `${message} See --help.\n` });
});

const NO_FAILURE = 'The body alone does not show the failure; add --status 429, or give what curl -i prints.';

it.each([
  ['', [], 'There was nothing to read; give a response as curl -i prints it.'],
  ['{"ok":true}', [], NO_FAILURE],
  ['TypeError: x is not a function', [], NO_FAILURE],
  ['HTTP/2 503\n\n', ['--status', '429'], 'The response has a status, 503; leave out --status.'],
  ['HTTP/1.1 100 Continue\r\n\r\n', [], 'The input ends with HTTP 100; paste the response that follows it too.'],
])('refuses to classify %j %j', async (text, words, message) => {
  const refused = await run(['classify', ...words], { input: new FakeInput({ pieces: [text] }) });
  expect(refused).toMatchObject({ exitCode: 2, output: '', errors: `${message} See --help.\n` });
});
