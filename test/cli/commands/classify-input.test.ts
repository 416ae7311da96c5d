import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordings } from '../../../mocks/recordings.ts';
import { UsageError } from '../../../src/cli/command.ts';
import { MOST_BYTES, readInput } from '../../../src/cli/commands/classify-input.ts';
import { FakeInput } from '../fake-terminal.ts';

const NAME = 'azure-429-33s-text';
const RESPONSE = recordings[NAME].response;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'retry-transport-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function fileOf(content: string | Uint8Array): Promise<string> {
  const path = join(folder, 'response.txt');
  await writeFile(path, content);
  return path;
}

describe('readInput', () => {
  it('reads standard input in pieces, and a file', async () => {
    const input = new FakeInput({ pieces: ['HTTP/2 4', Buffer.from('29\n\nbody')] });
    expect(await readInput('-', input)).toMatchObject({
      response: { status: 429, body: Buffer.from('body') },
      cut: false,
    });
    expect(await readInput(await fileOf('HTTP/2 503\n\nbody'), new FakeInput())).toMatchObject({
      response: { status: 503 },
    });
  });

  it.each([
    ['by its name', async () => NAME],
    ['by its file', async () => fileURLToPath(new URL(`../../../mocks/recordings/${NAME}.json`, import.meta.url))],
    ['by a file with the answer alone', () => fileOf(JSON.stringify({ response: RESPONSE }))],
  ])('reads a recording %s', async (_how, name) => {
    const { response } = await readInput(await name(), new FakeInput());
    expect(response.status).toBe(429);
    expect(Object.fromEntries(response.headers)).toEqual(RESPONSE.headers);
    expect(new TextDecoder().decode(response.body)).toBe(RESPONSE.body);
  });

  it.each([
    '{"response":"text"}',
    '{"response":{"status":"429"}}',
    '{"response":{"status":429,"headers":{"a":1},"body":""}}',
    '[1]',
    'null',
  ])('reads %s as a body', async (text) => {
    const { response } = await readInput('-', new FakeInput({ pieces: [text] }));
    expect(response).toMatchObject({ status: undefined, body: Buffer.from(text) });
  });

  it('stops reading when the input is too long', async () => {
    const piece = new Uint8Array(MOST_BYTES / 2 + 1).fill(0x20);
    let pieces = 0;
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;;) {
        pieces += 1;
        yield piece;
      }
    }
    const input = Object.assign(new FakeInput(), { [Symbol.asyncIterator]: endless });
    const { response, cut } = await readInput('-', input);
    expect(cut).toBe(true);
    expect(response.body).toHaveLength(MOST_BYTES);
    expect(pieces).toBe(2);
    const file = await readInput(await fileOf(new Uint8Array(MOST_BYTES + 5).fill(0x20)), new FakeInput());
    expect(file).toMatchObject({ cut: true, response: { body: { length: MOST_BYTES } } });
    expect(await readInput(await fileOf(new Uint8Array(MOST_BYTES).fill(0x20)), new FakeInput())).toMatchObject({
      cut: false,
    });
  });

  it.each([
    ['a folder', async () => folder, /^Expected a file that can be read, got ".*" \(EISDIR\)\.$/],
    [
      'a name that is nearly one',
      async () => 'azure-429-33s',
      /^There is no file "azure-429-33s"\. Did you mean the recording 'azure-429-33s-text', /,
    ],
    [
      'a member of every object',
      async () => 'toString',
      /^There is no file "toString"\. No recording has this name either; /,
    ],
  ])('refuses %s in one line', async (_what, name, message) => {
    const reading = readInput(await name(), new FakeInput());
    await expect(reading).rejects.toThrow(UsageError);
    await expect(reading).rejects.toThrow(message);
  });
});
