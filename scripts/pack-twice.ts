/**
 * Builds and packs the checked-out commit in two new folders, and fails unless both packages have the same bytes, and not
 * too many: `node scripts/pack-twice.ts [destination]`. So any person with the commit can verify the published package.
 */

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const MOST_BYTES = 980_000;
const [destination] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'retry-transport-pack-'));
try {
  const [first, second] = ['first', 'second/in a longer path'].map(packIn);
  if (first === undefined || second === undefined || first.hash !== second.hash) {
    throw new Error(`Two builds of one commit differ:\n${first?.hash} ${first?.path}\n${second?.hash} ${second?.path}`);
  }
  const { size } = statSync(first.path);
  if (size > MOST_BYTES) throw new Error(`The package has ${size} bytes, more than ${MOST_BYTES}.`);
  if (destination !== undefined) copyFileSync(first.path, join(destination, first.name));
  console.log(`${first.hash}  ${first.name}, ${size} bytes`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function packIn(name: string): { readonly name: string; readonly path: string; readonly hash: string } {
  const place = join(folder, name);
  mkdirSync(place, { recursive: true });
  const archive = execFileSync('git', ['archive', 'HEAD'], { cwd: root, maxBuffer: 256 * 1024 * 1024 });
  execFileSync('tar', ['-x', '-C', place], { input: archive });
  symlinkSync(join(root, 'node_modules'), join(place, 'node_modules'));
  execFileSync(process.execPath, ['scripts/build.mjs'], { cwd: place, stdio: 'inherit' });
  execFileSync('npm', ['pack', '--ignore-scripts', '--silent'], { cwd: place });
  const file = readdirSync(place).find((candidate) => candidate.endsWith('.tgz'));
  if (file === undefined) throw new Error(`npm pack wrote no package in ${place}.`);
  const path = join(place, file);
  return { name: file, path, hash: createHash('sha512').update(readFileSync(path)).digest('hex') };
}
