import fs, {
  appendFileSync,
  chmodSync,
  chownSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { compactFile, hasUnfinished, type Keeper } from '../../src/report/compact-file.ts';
import { MAX_LINE_BYTES } from '../../src/report/line-file.ts';
import { linesOf, temporaryDirectory, temporaryFile, watchFile } from './samples.ts';

// Before anything watches it.
const realRename = fs.renameSync;

/** Keeps the lines that begin with "keep", drops those with "drop", and calls the rest damaged. */
function createKeeper(onLines: () => void = () => {}): () => Keeper {
  let call = onLines;
  return () => {
    const kept: string[] = [];
    return {
      take: (bytes) => {
        const line = bytes.toString();
        if (line.startsWith('keep')) kept.push(line);
        return /^(?:keep|drop)/.test(line) ? undefined : bytes;
      },
      lines: () => {
        call();
        call = () => {};
        return kept;
      },
    };
  };
}

const namesIn = (path: string): readonly string[] =>
  readdirSync(dirname(path)).map((name) => name.replace(basename(path), ''));

describe('compacting a file', () => {
  it('keeps the wanted lines, moves damaged ones to another file and leaves nothing else behind', () => {
    const path = temporaryFile('keep 1\ndrop 2\n\u0000bad\nkeep 3\n');
    expect(compactFile(path, createKeeper())).toBe(true);
    expect(readFileSync(path, 'utf8')).toBe('keep 1\nkeep 3\n');
    expect(readFileSync(`${path}.damaged`, 'utf8')).toBe('\u0000bad\n');
    expect(namesIn(path)).toEqual(['', '.damaged']);
    for (const name of [path, `${path}.damaged`]) expect(statSync(name).mode & 0o777).toBe(0o600);
  });

  it('appends to earlier damaged lines, in a private file', () => {
    const path = temporaryFile('bad 1\n');
    writeFileSync(`${path}.damaged`, '', { mode: 0o644 });
    compactFile(path, createKeeper());
    appendFileSync(path, 'bad 2\n');
    compactFile(path, createKeeper());
    expect(linesOf(`${path}.damaged`)).toEqual(['bad 1', 'bad 2']);
    expect(statSync(`${path}.damaged`).mode & 0o777).toBe(0o600);
  });

  it('moves every byte of a line that is too long, and of more damage than fits into memory', () => {
    const long = 'x'.repeat(3 * MAX_LINE_BYTES);
    const path = temporaryFile(`keep 1\n${long}\nkeep 2\n`);
    compactFile(path, createKeeper());
    expect(linesOf(path)).toEqual(['keep 1', 'keep 2']);
    expect(readFileSync(`${path}.damaged`, 'utf8')).toBe(`${long}\n`);
  });

  it('reads an unfinished last line as damage, and a complete one without its newline as a line', () => {
    const torn = temporaryFile('keep 1\ntor');
    compactFile(torn, createKeeper());
    expect([linesOf(torn), linesOf(`${torn}.damaged`)]).toEqual([['keep 1'], ['tor']]);
    const whole = temporaryFile('keep 1\nkeep 2');
    compactFile(whole, createKeeper());
    expect([linesOf(whole), namesIn(whole)]).toEqual([['keep 1', 'keep 2'], ['']]);
  });

  it('copies lines that are appended after it has read, even the end of a line whose beginning it has read', () => {
    const path = temporaryFile('keep 1\nkeep');
    expect(
      compactFile(
        path,
        createKeeper(() => appendFileSync(path, ' 2\nkeep 3\n')),
      ),
    ).toBe(true);
    expect(linesOf(path)).toEqual(['keep 1', 'keep 2', 'keep 3']);
    expect(namesIn(path)).toEqual(['']);
  });

  it('does nothing without a file, and nothing while another process compacts it', () => {
    expect(compactFile(temporaryFile(), createKeeper())).toBe(false);
    const path = temporaryFile('drop 1\n');
    const inner = createKeeper();
    let second: boolean | undefined;
    const outer = createKeeper(() => {
      second = compactFile(path, inner);
    });
    expect([compactFile(path, outer), second]).toEqual([true, false]);
  });

  it('gives up if its lock is taken or the file is replaced meanwhile', () => {
    const taken = temporaryFile('drop 1\n');
    expect(
      compactFile(
        taken,
        createKeeper(() => writeFileSync(`${taken}.lock`, 'another')),
      ),
    ).toBe(false);
    expect([linesOf(taken), namesIn(taken)]).toEqual([['drop 1'], ['', '.lock']]);
    const replaced = temporaryFile('drop 1\n');
    const replace = (): void => {
      rmSync(replaced);
      writeFileSync(replaced, 'keep 9\n');
    };
    expect(compactFile(replaced, createKeeper(replace))).toBe(false);
    expect([linesOf(replaced), namesIn(replaced)]).toEqual([['keep 9'], ['']]);
  });

  it('changes nothing if the new file cannot be written, or damage cannot be moved', () => {
    const path = temporaryFile('keep 1\ndrop 2\n');
    watchFile('renameSync').mockImplementationOnce(() => {
      throw new Error('ENOSPC');
    });
    expect(() => compactFile(path, createKeeper())).toThrow('ENOSPC');
    expect([linesOf(path), namesIn(path)]).toEqual([['keep 1', 'drop 2'], ['']]);
    const damaged = temporaryFile('keep 1\nbad\n');
    mkdirSync(`${damaged}.damaged`);
    expect(() => compactFile(damaged, createKeeper())).toThrow('EISDIR');
    expect(linesOf(damaged)).toEqual(['keep 1', 'bad']);
  });

  it.each(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'])(
    'goes without a second name where the file system has none (%s)',
    (code) => {
      const path = temporaryFile('keep 1\n');
      watchFile('linkSync').mockImplementationOnce(() => {
        throw Object.assign(new Error(code), { code });
      });
      expect(
        compactFile(
          path,
          createKeeper(() => appendFileSync(path, 'keep 2\n')),
        ),
      ).toBe(true);
      expect(linesOf(path)).toEqual(['keep 1', 'keep 2']);
    },
  );

  it('stops if a second name fails for any other reason', () => {
    const path = temporaryFile('drop 1\n');
    watchFile('linkSync').mockImplementationOnce(() => {
      throw Object.assign(new Error('EIO'), { code: 'EIO' });
    });
    expect(() => compactFile(path, createKeeper())).toThrow('EIO');
    expect(linesOf(path)).toEqual(['drop 1']);
  });
});

describe('the rest that a killed process left', () => {
  const uuid = '00000000-0000-4000-8000-000000000000';

  it('is copied if it died after the rename, from where it had read to', () => {
    const path = temporaryFile('keep 1\ndrop 2\nkeep 3\n');
    linkSync(path, `${path}.old-14-${uuid}`);
    appendFileSync(path, 'bad\n');
    writeFileSync(`${path}.new-${uuid}`, 'keep 1\n');
    realRename(`${path}.new-${uuid}`, path);
    appendFileSync(path, 'keep 4\n');
    expect(hasUnfinished(path)).toBe(true);
    expect(compactFile(path, createKeeper())).toBe(true);
    expect(linesOf(path)).toEqual(['keep 1', 'keep 4', 'keep 3']);
    expect(linesOf(`${path}.damaged`)).toEqual(['bad']);
    expect(hasUnfinished(path)).toBe(false);
  });

  it('is removed if it died before the rename', () => {
    const path = temporaryFile('keep 1\nkeep 2\n');
    linkSync(path, `${path}.old-0-${uuid}`);
    writeFileSync(`${path}.new-${uuid}`, 'keep');
    expect(compactFile(path, createKeeper())).toBe(true);
    expect([linesOf(path), namesIn(path)]).toEqual([['keep 1', 'keep 2'], ['']]);
  });

  it('is found if the copy failed, and the next process finishes it', () => {
    const path = temporaryFile('keep 1\n');
    const blocked = (): void => {
      appendFileSync(path, 'keep 2\n');
      watchFile('renameSync').mockImplementationOnce((from, to) => {
        realRename(from, to);
        // No room for the line that is carried over.
        rmSync(to);
        mkdirSync(to);
      });
    };
    expect(() => compactFile(path, createKeeper(blocked))).toThrow('EISDIR');
    rmSync(path, { recursive: true });
    writeFileSync(path, 'keep 1\n');
    expect(compactFile(path, createKeeper())).toBe(true);
    expect(linesOf(path)).toEqual(['keep 1', 'keep 2']);
  });

  it('does not exist in a missing directory', () => {
    expect(hasUnfinished(`${temporaryDirectory()}/none/file`)).toBe(false);
  });

  it.each([
    ['a name that only looks like one', '.old-nonsense', 0o600],
    ['a name without an id', '.old-0-x', 0o600],
    ['an offset that is no number of bytes', `.old-${'9'.repeat(20)}-${uuid}`, 0o600],
    ['something behind the id', `.old-0-${uuid}.json`, 0o600],
    ['a file that other users can write to', `.old-0-${uuid}`, 0o622],
  ])('is not a file with %s: it is neither read nor removed', (_, suffix, mode) => {
    const path = temporaryFile('keep 1\n');
    writeFileSync(`${path}${suffix}`, 'keep 2\n');
    chmodSync(`${path}${suffix}`, mode);
    expect(hasUnfinished(path)).toBe(false);
    expect(compactFile(path, createKeeper())).toBe(true);
    expect([linesOf(path), linesOf(`${path}${suffix}`)]).toEqual([['keep 1'], ['keep 2']]);
  });

  it.runIf(process.getuid?.() === 0)('is not a file of another user', () => {
    const path = temporaryFile('keep 1\n');
    const planted = `${path}.old-0-${uuid}`;
    writeFileSync(planted, 'keep 2\n', { mode: 0o600 });
    chownSync(planted, 65_534, 65_534);
    compactFile(path, createKeeper());
    expect([linesOf(path), linesOf(planted)]).toEqual([['keep 1'], ['keep 2']]);
  });

  it('is not a directory or a link', () => {
    const path = temporaryFile('keep 1\n');
    mkdirSync(`${path}.new-${uuid}`);
    symlinkSync(temporaryFile('keep 2\n'), `${path}.old-0-${uuid}`);
    compactFile(path, createKeeper());
    expect(linesOf(path)).toEqual(['keep 1']);
    expect(namesIn(path)).toEqual(['', `.new-${uuid}`, `.old-0-${uuid}`]);
  });
});
