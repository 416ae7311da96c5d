// Every version of TypeScript, with every check of this package's declarations and of the program: those of msw 2.10 do
// not pass the checks of TypeScript 6. Version 7 can only check everything; the others spend most of their time on the
// declarations of other packages, so they are asked for those files alone.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';

const ELSEWHERE = /(?:^|\/)node_modules\/(?!retry-transport\/)|^ /;

// A program for Node alone has no `dom` in its `lib`.
for (const [version, moduleResolution, lib] of [
  ['5.4', 'nodenext', 'es2023,dom,dom.iterable'],
  ['5.9', 'bundler', 'es2023'],
  ['6.0', 'nodenext', 'es2023'],
  ['7.0', 'bundler', 'es2023,dom,dom.iterable'],
]) {
  const module = moduleResolution === 'bundler' ? 'esnext' : 'nodenext';
  const options = ['--module', module, '--moduleResolution', moduleResolution, '--lib', lib, '--skipLibCheck', 'false'];
  const errors = version === '7.0' ? errorsOfProgram(version, options) : errorsOfFiles(version, options);
  if (errors.length > 0) throw new Error(`TypeScript ${version}:\n${errors.join('\n')}`);
  console.log(`type-checked: ${version}, ${moduleResolution}, ${lib}`);
}

/** @type {(version: string, options: string[]) => string[]} */
function errorsOfProgram(version, options) {
  const tsc = `node_modules/typescript-${version}/bin/tsc`;
  const { status, stdout, stderr } = spawnSync(process.execPath, [tsc, ...options], { encoding: 'utf8' });
  if (status === null) throw new Error(`TypeScript ${version} was ended by a signal.`);
  return `${stdout}${stderr}`.split('\n').filter((line) => line !== '' && !ELSEWHERE.test(line));
}

/** @type {(version: string, options: string[]) => string[]} */
function errorsOfFiles(version, options) {
  const ts = createRequire(import.meta.url)(`typescript-${version}`);
  const { config } = ts.readConfigFile('tsconfig.json', ts.sys.readFile);
  const command = ts.parseJsonConfigFileContent(config, ts.sys, '.', ts.parseCommandLine(options).options);
  const program = ts.createProgram(command.fileNames, command.options);
  const files = program
    .getSourceFiles()
    .filter((/** @type {{ fileName: string }} */ file) => !ELSEWHERE.test(file.fileName));
  const found = files.flatMap((/** @type {unknown} */ file) => ts.getPreEmitDiagnostics(program, file));
  const host = { ...ts.sys, getCanonicalFileName: String, getNewLine: () => '\n' };
  return ts
    .sortAndDeduplicateDiagnostics(found)
    .map((/** @type {unknown} */ error) => ts.formatDiagnostic(error, host));
}
