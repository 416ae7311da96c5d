// Every version of TypeScript, with every check of this package's declarations. Those of msw 2.10 do not pass the checks
// of TypeScript 6, so errors inside of other packages do not count.
import { spawnSync } from 'node:child_process';

const ELSEWHERE = /^node_modules\/(?!retry-transport\/)|^ /;

// A program for Node alone has no `dom` in its `lib`.
for (const [version, moduleResolution, lib] of [
  ['5.4', 'nodenext', 'es2023,dom,dom.iterable'],
  ['5.9', 'bundler', 'es2023'],
  ['6.0', 'nodenext', 'es2023'],
  ['7.0', 'bundler', 'es2023,dom,dom.iterable'],
]) {
  const module = moduleResolution === 'bundler' ? 'esnext' : 'nodenext';
  const tsc = `node_modules/typescript-${version}/bin/tsc`;
  const options = ['--module', module, '--moduleResolution', moduleResolution, '--lib', lib, '--skipLibCheck', 'false'];
  const { status, stdout, stderr } = spawnSync(process.execPath, [tsc, ...options], { encoding: 'utf8' });
  const errors = `${stdout}${stderr}`.split('\n').filter((line) => line !== '' && !ELSEWHERE.test(line));
  if (errors.length > 0 || status === null) throw new Error(`TypeScript ${version}:\n${errors.join('\n')}`);
  console.log(`type-checked: ${version}, ${moduleResolution}, ${lib}`);
}
