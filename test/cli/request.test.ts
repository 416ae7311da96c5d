import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { UsageError } from '../../src/cli/arguments.ts';
import { readData, type SentRequest, sendRequest } from '../../src/cli/request.ts';
import { runSession } from '../../src/cli/display/session.ts';
import { type Served, serve } from '../serve.ts';
import { FakeInput, fakeTerminal } from './fake-terminal.ts';

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('readData', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'retry-transport-'));
    await writeFile(join(folder, 'body.bin'), Uint8Array.of(0, 255, 10));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('reads text unchanged, a file byte for byte, and standard input to its end', async () => {
    expect(await readData(undefined, new FakeInput())).toBeUndefined();
    expect(await readData('{"ü":1}', new FakeInput())).toEqual(utf8('{"ü":1}'));
    expect(await readData(`@${join(folder, 'body.bin')}`, new FakeInput())).toEqual(Buffer.of(0, 255, 10));
    expect(await readData('-', new FakeInput({ pieces: ['{', utf8('}')] }))).toEqual(Buffer.from('{}'));
    expect(await readData('@-', new FakeInput({ pieces: ['{}'] }))).toEqual(Buffer.from('{}'));
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

interface Seen {
  readonly method: string | undefined;
  readonly type: string | undefined;
  readonly key: string | string[] | undefined;
  readonly body: string;
}

describe('sendRequest', () => {
  const seen: Seen[] = [];
  let server: Served;
  let origin: string;
  beforeAll(async () => {
    server = await serve(({ method, headers, url }, response, body) => {
      seen.push({ method, type: headers['content-type'], key: headers['x-api-key'], body: body.toString() });
      if (url === '/moved') response.writeHead(307, { location: '/' }).end();
      else if (url === '/empty') response.writeHead(204).end();
      else response.writeHead(url === '/refuse' ? 401 : 200).end(`answer to ${body.toString()}`);
    });
    origin = server.origin;
  });
  afterAll(() => server.close());
  afterEach(() => {
    seen.length = 0;
  });

  async function send(path: string, more: Partial<SentRequest> = {}, body?: string) {
    const terminal = fakeTerminal();
    const request: SentRequest = { url: origin + path, method: 'GET', headers: {}, policy: {}, ...more };
    const exitCode = await runSession(terminal, { json: true, colour: false }, terminal.errors, (context) =>
      sendRequest(request, body === undefined ? undefined : Buffer.from(body), context),
    );
    return { exitCode, answer: terminal.errors.text };
  }

  it('sends data with headers, and adds the content type of JSON', async () => {
    const headers = { 'x-api-key': 'k' };
    expect(await send('/', { method: 'POST', headers }, '{"a":1}')).toEqual({
      exitCode: 0,
      answer: 'answer to {"a":1}',
    });
    await send('/', { method: 'POST', headers: { 'content-type': 'application/x-ndjson' } }, '{"a":1}');
    await send('/', { method: 'POST' }, 'plain');
    expect(seen).toEqual([
      { method: 'POST', type: 'application/json', key: 'k', body: '{"a":1}' },
      { method: 'POST', type: 'application/x-ndjson', key: undefined, body: '{"a":1}' },
      { method: 'POST', type: undefined, key: undefined, body: 'plain' },
    ]);
  });

  it.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'])('sends a %s without a body', async (method) => {
    expect(await send('/', { method })).toEqual({ exitCode: 0, answer: method === 'HEAD' ? '' : 'answer to ' });
    expect(seen).toEqual([{ method, type: undefined, key: undefined, body: '' }]);
  });

  it('passes on the answer of a failure too, and nothing if there is no response', async () => {
    expect(await send('/refuse')).toEqual({ exitCode: 3, answer: 'answer to ' });
    expect(await send('/empty')).toEqual({ exitCode: 0, answer: '' });
  });

  it('follows a redirect, but without the key', async () => {
    expect(await send('/moved', { headers: { accept: '*/*' } })).toMatchObject({ exitCode: 0 });
    expect(await send('/moved', { headers: { 'x-goog-api-key': 'k' } })).toMatchObject({ exitCode: 3 });
    expect(seen).toHaveLength(3);
  });
});
