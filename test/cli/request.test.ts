import { createServer } from 'node:http';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { UsageError } from '../../src/cli/arguments.ts';
import { requestCommand } from '../../src/cli/commands/request.ts';
import { readData } from '../../src/cli/request.ts';
import { FetchTransport, type TransportResponse } from '../../src/index.ts';
import { FakeInput, fakeTerminal } from './fake-terminal.ts';

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('readData', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'retry-transport-'));
    await writeFile(join(folder, 'body.bin'), Uint8Array.of(0, 255, 10));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('takes text as it is, a file byte for byte, and standard input to its end', async () => {
    expect(await readData(undefined, new FakeInput())).toBeUndefined();
    expect(await readData('{"ü":1}', new FakeInput())).toEqual(utf8('{"ü":1}'));
    expect(await readData(`@${join(folder, 'body.bin')}`, new FakeInput())).toEqual(Buffer.of(0, 255, 10));
    expect(await readData('-', new FakeInput({ pieces: ['{', utf8('}')] }))).toEqual(Buffer.from('{}'));
  });

  it('refuses a file that cannot be read', async () => {
    const reading = readData(`@${join(folder, 'absent')}`, new FakeInput());
    await expect(reading).rejects.toThrow(UsageError);
    await expect(reading).rejects.toThrow(
      /^Expected --data @file to name a file that can be read, got ".*absent" \(ENOENT\)\.$/,
    );
    await expect(readData('@\0', new FakeInput())).rejects.toThrow('(ERR_INVALID_ARG_VALUE)');
  });
});

/** What a transport of the caller's own may answer with. */
const ELSEWHERE: TransportResponse = {
  ok: true,
  status: 200,
  text: () => Promise.resolve('from elsewhere'),
  json: () => Promise.reject(new Error('no JSON')),
};

interface Seen {
  readonly method: string | undefined;
  readonly type: string | undefined;
  readonly key: string | string[] | undefined;
  readonly body: string;
}

async function send(...argv: readonly string[]): Promise<{ readonly exitCode: number; readonly answer: string }> {
  const terminal = fakeTerminal();
  const exitCode = await requestCommand.run(['--json', ...argv], terminal);
  return { exitCode, answer: terminal.errors.text };
}

describe('sendRequest', () => {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    const { method, headers, url } = request;
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.once('end', () => {
      const body = Buffer.concat(pieces).toString();
      seen.push({ method, type: headers['content-type'], key: headers['x-api-key'], body });
      response.writeHead(url === '/refuse' ? 401 : 200).end(`answer to ${body}`);
    });
  });
  let origin: string;
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  });
  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });
  afterEach(() => {
    seen.length = 0;
  });

  it('posts data with headers, and calls JSON by its name', async () => {
    const argv = ['--url', origin, '-H', 'x-api-key: k', '-d', '{"a":1}'];
    expect(await send(...argv)).toEqual({ exitCode: 0, answer: 'answer to {"a":1}\n' });
    await send(...argv, '-H', 'content-type: application/x-ndjson');
    await send('--url', origin, '-d', 'plain');
    expect(seen).toEqual([
      { method: 'POST', type: 'application/json', key: 'k', body: '{"a":1}' },
      { method: 'POST', type: 'application/x-ndjson', key: 'k', body: '{"a":1}' },
      { method: 'POST', type: undefined, key: undefined, body: 'plain' },
    ]);
  });

  it('gets, and posts nothing', async () => {
    expect(await send('--url', origin)).toEqual({ exitCode: 0, answer: 'answer to \n' });
    await send('--url', origin, '-X', 'POST');
    expect(seen.map(({ method }) => method)).toEqual(['GET', 'POST']);
  });

  it('hands on the answer of a failure as well', async () => {
    expect(await send('--url', `${origin}/refuse`)).toEqual({ exitCode: 3, answer: 'answer to \n' });
  });

  it('hands on an answer without a body, and one that is no Response', async () => {
    const get = vi.spyOn(FetchTransport.prototype, 'get');
    get.mockResolvedValueOnce(new Response(null, { status: 204 }));
    expect(await send('--url', origin)).toEqual({ exitCode: 0, answer: '' });
    get.mockResolvedValueOnce(ELSEWHERE);
    expect(await send('--url', origin)).toEqual({ exitCode: 0, answer: 'from elsewhere\n' });
  });
});
