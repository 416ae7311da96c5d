import { describe, expect, it } from 'vitest';
import { Painter } from '../../../src/cli/display/painter.ts';
import { FakeOutput } from '../fake-terminal.ts';

const HIDE = '\u001B[?25l';
const SHOW = '\u001B[?25h';
const ERASE = '\u001B[J';

/** A painter, and its output since the last call. */
function painter(columns: number | undefined = 80) {
  const output = new FakeOutput({ isTTY: true, ...(columns !== undefined && { columns }) });
  let seen = 0;
  const written = () => {
    const text = output.text.slice(seen);
    seen = output.text.length;
    return text;
  };
  return { painter: new Painter(output), output, written };
}

describe('Painter', () => {
  it('replaces its lines, and only if they have changed', () => {
    const { painter: live, written } = painter();
    live.paint(['5s']);
    expect(written()).toBe(`${HIDE}5s`);
    live.paint(['5s']);
    expect(written()).toBe('');
    live.paint(['4s', 'keys']);
    expect(written()).toBe(`${HIDE}\r${ERASE}4s\nkeys`);
    live.paint(['3s', 'keys']);
    expect(written()).toBe(`${HIDE}\r\u001B[1A${ERASE}3s\nkeys`);
  });

  it('prints lines that stay in place of those that change, with the cursor below them', () => {
    const { painter: live, written } = painter();
    live.paint(['5s']);
    written();
    live.print(['done', 'really']);
    expect(written()).toBe(`\r${ERASE}${SHOW}done\nreally\n`);
    live.print(['more']);
    expect(written()).toBe('more\n');
    live.print([]);
    expect(written()).toBe('');
  });

  it('finds its own lines again after the terminal has become narrower', () => {
    const { painter: live, output, written } = painter();
    live.paint(['x'.repeat(30)]);
    written();
    output.columns = 10;
    live.paint(['y']);
    expect(written()).toBe(`${HIDE}\r\u001B[2A${ERASE}y`);
  });

  it.each([undefined, 0])('counts one row per line if the width is not known (%s)', (columns) => {
    const { painter: live, output, written } = painter();
    output.columns = columns;
    live.paint(['x'.repeat(300), '']);
    written();
    live.print([]);
    expect(written()).toBe(`\r\u001B[1A${ERASE}${SHOW}`);
  });

  it('shows the cursor again at the end, once', () => {
    const { painter: live, written } = painter();
    live.close();
    expect(written()).toBe('');
    live.paint(['5s']);
    written();
    live.close();
    live.close();
    expect(written()).toBe(`\n${SHOW}`);
  });
});
