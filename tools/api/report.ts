/**
 * Writes the exports of each entry of the package into etc, one file per entry, so that reviews show a change of the
 * public API: `node report.ts --write`. Without the option nothing is written, and an outdated report is an error.
 */

import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  CompilerState,
  ConsoleMessageId,
  Extractor,
  ExtractorConfig,
  ExtractorLogLevel,
} from '@microsoft/api-extractor';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const REPORTS = join(ROOT, 'etc');

/** Of a program that uses the package. */
const COMPILER_OPTIONS = {
  target: 'es2022',
  lib: ['es2024', 'dom', 'dom.iterable'],
  module: 'nodenext',
  strict: true,
  skipLibCheck: true,
  types: ['node'],
};

interface Entry {
  readonly name: string;
  /** Its declarations, relative to the root. */
  readonly types: string;
}

const isWriting = process.argv.includes('--write');
const temporary = await mkdtemp(join(tmpdir(), 'retry-transport-api-'));
try {
  await mkdir(REPORTS, { recursive: true });
  const entries = await readEntries();
  const configs = entries.map((entry) => ({ entry, config: configOf(entry, entries) }));
  // One program for all entries: reading the declarations once for each takes four times as long.
  const [first] = configs;
  if (first === undefined) throw new Error('package.json exports no entry with types.');
  const compilerState = CompilerState.create(first.config);
  const wrong = configs.flatMap(({ entry, config }) => report(entry, config, compilerState));
  for (const file of await foreignReports(entries)) {
    if (isWriting) await rm(join(REPORTS, file));
    else wrong.push(`etc/${file} is of no entry.`);
  }
  for (const sentence of wrong) console.error(sentence);
  if (wrong.length > 0) {
    console.error('If the change is meant, npm run api writes it down.');
    process.exitCode = 1;
  } else console.log(`${entries.length} entries are as etc says.`);
} finally {
  await rm(temporary, { recursive: true, force: true });
}

async function readEntries(): Promise<readonly Entry[]> {
  const { exports }: { exports: Readonly<Record<string, string | { readonly types: string }>> } = JSON.parse(
    await readFile(join(ROOT, 'package.json'), 'utf8'),
  );
  return Object.entries(exports).flatMap(([path, target]) => {
    if (typeof target === 'string') return [];
    return [{ name: path === '.' ? 'index' : path.slice('./'.length).replaceAll('/', '-'), types: target.types }];
  });
}

function configOf({ name, types }: Entry, all: readonly Entry[]): ExtractorConfig {
  const files = all.map((entry) => join(ROOT, entry.types));
  return ExtractorConfig.prepare({
    configObjectFullPath: undefined,
    packageJsonFullPath: join(ROOT, 'package.json'),
    configObject: {
      projectFolder: ROOT,
      mainEntryPointFilePath: join(ROOT, types),
      compiler: { overrideTsconfig: { compilerOptions: COMPILER_OPTIONS, files } },
      // The parts of an exported type are public too, even if they are not exported.
      apiReport: {
        enabled: true,
        reportFileName: name,
        reportFolder: REPORTS,
        reportTempFolder: temporary,
        includeForgottenExports: true,
      },
      docModel: { enabled: false },
      newlineKind: 'lf',
      messages: {
        compilerMessageReporting: { default: { logLevel: ExtractorLogLevel.Error } },
        extractorMessageReporting: { default: { logLevel: ExtractorLogLevel.None } },
        tsdocMessageReporting: { default: { logLevel: ExtractorLogLevel.None } },
      },
    },
  });
}

/** The mistakes in the report of an entry; none if it was written. */
function report({ name, types }: Entry, config: ExtractorConfig, compilerState: CompilerState): string[] {
  const errors: string[] = [];
  let diff = '';
  const { apiReportChanged } = Extractor.invoke(config, {
    compilerState,
    localBuild: isWriting,
    printApiReportDiff: !isWriting,
    messageCallback: (message) => {
      message.handled = true;
      if (message.messageId === ConsoleMessageId.ApiReportDiff) diff = message.text;
      else if (message.category === 'Compiler') errors.push(`${name}: ${message.text}`);
    },
  });
  if (apiReportChanged && isWriting) console.log(`written: etc/${name}.api.md`);
  if (!apiReportChanged || isWriting) return errors;
  return [...errors, `What ${types} exports is not what etc/${name}.api.md says.\n${diff}`];
}

async function foreignReports(entries: readonly Entry[]): Promise<readonly string[]> {
  const files = await readdir(REPORTS);
  return files.filter((file) => !entries.some(({ name }) => file === `${name}.api.md`));
}
