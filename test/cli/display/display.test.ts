import { describe, expect, it } from 'vitest';
import { AnswerWriter, JsonDisplay, PlainDisplay } from '../../../src/cli/display/display.ts';
import { FakeOutput } from '../fake-terminal.ts';
import { cancelledEvent, fallbackEvent, recoveredEvent, retryEvent } from '../samples.ts';

const signal = new AbortController().signal;

const bytes = (text: string) => new TextEncoder().encode(text);

describe('PlainDisplay', () => {
  it('writes one line per event, the answer in between, and the end after it', async () => {
    const output = new FakeOutput();
    const display = new PlainDisplay(output, output);
    display.show(retryEvent({ delayMs: 800 }));
    display.hurry();
    display.show(fallbackEvent());
    display.show(recoveredEvent());
    await display.answer('the ', signal);
    await display.answer('answer', signal);
    display.end({ how: 'answered', event: recoveredEvent() });
    display.close();
    expect(output.text.split('\n')).toEqual([
      '⚠ Service overloaded (HTTP 429) — retrying in 800ms… retry 1 of 3',
      '⚠ Service overloaded (HTTP 429) — falling back from sonnet to haiku',
      'the answer',
      '✓ answered after 3 retries: 429 overloaded, 502 overloaded, connection reset — waited 1.2s',
      '',
    ]);
  });
});

describe('JsonDisplay', () => {
  it('writes the events to one output and the answer to the other', async () => {
    const [events, errors] = [new FakeOutput(), new FakeOutput()];
    const display = new JsonDisplay(events, errors);
    display.show(retryEvent());
    display.hurry();
    display.show(recoveredEvent());
    await display.answer('answer', signal);
    display.end({ how: 'answered', event: recoveredEvent() });
    display.close();
    expect(events.lines.map((line): unknown => JSON.parse(line))).toEqual([retryEvent(), recoveredEvent()]);
    expect(errors.text).toBe('answer\n');
  });

  it('prints only an ending that no event reported', () => {
    const [events, errors] = [new FakeOutput(), new FakeOutput()];
    const display = new JsonDisplay(events, errors);
    display.end({ how: 'cancelled', event: cancelledEvent(1) });
    expect(errors.text).toBe('');
    display.end({ how: 'broken', error: new Error('broke off') });
    expect(errors.text).toBe('✗ broke off\n');
    expect(events.text).toBe('');
  });
});

describe('AnswerWriter', () => {
  it('removes cursor movements from the output to a terminal, and changes no other output', async () => {
    const [terminal, file] = [new FakeOutput({ isTTY: true }), new FakeOutput()];
    // The second piece ends what the first began: one character, two pieces.
    const pieces = [Uint8Array.of(0x1b, 0x5b, 0x32, 0x4a, 0xc3), Uint8Array.of(0xbc, 0x0a), '\u001B]0;title\u0007\t'];
    for (const output of [terminal, file]) {
      const writer = new AnswerWriter(output);
      for (const piece of pieces) await writer.write(piece, signal);
    }
    expect(terminal.text).toBe('[2Jü\n]0;title\t');
    expect(file.text).toBe('\u001B[2Jü\n\u001B]0;title\u0007\t');
  });

  it.each([
    ['an open line', ['a'], 'a\n'],
    ['an open line of bytes', [bytes('a')], 'a\n'],
    ['a line that is ended', ['a\n'], 'a\n'],
    ['a line that is ended in bytes', [bytes('a\n')], 'a\n'],
    ['an empty piece after it', ['a\n', ''], 'a\n'],
    ['nothing', [], ''],
  ])('ends %s if other lines follow', async (_case, pieces, text) => {
    const output = new FakeOutput();
    const writer = new AnswerWriter(output);
    for (const piece of pieces) await writer.write(piece, signal);
    writer.endLine(output);
    writer.endLine(output);
    expect(output.text).toBe(text);
  });

  it.each([
    [true, true, 'a\n'],
    [true, false, 'a'],
    [false, true, 'a'],
    [false, false, 'a'],
  ])(
    'adds no byte to an answer that goes elsewhere: answer on a terminal %s, the rest %s',
    async (answer, rest, text) => {
      const output = new FakeOutput({ isTTY: answer });
      const writer = new AnswerWriter(output);
      await writer.write('a', signal);
      writer.endLine(new FakeOutput({ isTTY: rest }));
      expect(output.text).toBe(text);
    },
  );
});
