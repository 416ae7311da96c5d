import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { importMapOf, readGraph, readModules } from '../modules.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'retry-transport-modules-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function write(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, contents] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), contents);
  }
}

const packages = {
  'entry.mjs': "import { seven } from 'outer';\nimport { two } from 'outer/two';\nconsole.log(seven, two);\n",
  'node_modules/outer/package.json': '{"type":"module","exports":{".":"./dist/main.js","./two":"./dist/two.js"}}',
  'node_modules/outer/dist/main.js': "import six from 'inner';\nexport const seven = six + 1;\n",
  'node_modules/outer/dist/two.js': "export { two } from './numbers.js';\n",
  'node_modules/outer/dist/numbers.js': 'export const two = 2;\n',
  'node_modules/inner/package.json': '{"type":"module","exports":"./six.js"}',
  'node_modules/inner/six.js': 'export default 6;\n',
};

test('an import map has an address for every name that is imported, at any depth', async () => {
  await write(packages);
  expect(importMapOf(await readGraph(folder, 'entry.mjs'), '/installed/')).toEqual({
    imports: {
      outer: '/installed/node_modules/outer/dist/main.js',
      'outer/two': '/installed/node_modules/outer/dist/two.js',
      inner: '/installed/node_modules/inner/six.js',
    },
  });
});

test('for workerd every file is a module, and every imported name is one beside the file that imports it', async () => {
  await write(packages);
  const modules = await readModules(folder, 'entry.mjs');
  expect(modules[0]?.path).toBe('entry.mjs');
  const contents = new Map(modules.map((module) => [module.path, module.contents]));
  expect(contents.get('node_modules/outer/dist/numbers.js')).toBe('export const two = 2;\n');
  expect(contents.get('outer')).toBe("export * from './node_modules/outer/dist/main.js';");
  expect(contents.get('outer/two')).toBe("export * from '../node_modules/outer/dist/two.js';");
  expect(contents.get('node_modules/outer/dist/inner')).toBe(
    "export * from '../../../node_modules/inner/six.js'; export { default } from '../../../node_modules/inner/six.js';",
  );
});

test.each(['node:fs', 'fs', 'missing'])('an import of %s is refused, for not every runtime has it', async (name) => {
  await write({ ...packages, 'node_modules/inner/six.js': `import '${name}';\nexport default 6;\n` });
  await expect(readGraph(folder, 'entry.mjs')).rejects.toThrow(name);
});
