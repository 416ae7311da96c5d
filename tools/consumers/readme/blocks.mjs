// Copies each block of README, as it is printed, into an empty folder beside the package, and runs it with a key and the
// base URL of a model that refuses first. Then the same block with a call after it.
import assert from 'node:assert';
import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { startModelServer } from './model-server.js';

const run = promisify(execFile);
const readme = await readFile('node_modules/retry-transport/README.md', 'utf8');
const blocks = [...readme.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code]) => code ?? '');

/** What is called after a block, by a text that only this block has; none for a test, which calls by itself. */
const CALLS = {
  'new OpenAI(':
    "const answer = await openai.chat.completions.create({ model: 'm', messages: [] });\nconsole.log(answer.choices[0].message.content);",
  requestsPerMinute: askAfterwards(),
  'watchRetry(': askAfterwards(),
  "from 'vitest'": undefined,
};

/** A call over the exported `fetch`. */
function askAfterwards() {
  const url = "process.env['OPENAI_BASE_URL'] + '/chat/completions'";
  return `const answer = await fetch(${url}, { method: 'POST', body: '{"model":"m"}' });\nconsole.log((await answer.json()).choices[0].message.content);`;
}

for (const [index, block] of blocks.entries()) {
  const known = Object.entries(CALLS).filter(([text]) => block.includes(text));
  assert.equal(known.length, 1, `README has a block that blocks.mjs does not know:\n${block}`);
  const [[, call]] = known;
  const folder = `block-${index + 1}`;
  await mkdir(folder);
  const model = await startModelServer([{ 'retry-after': '1' }]);
  const env = { ...process.env, OPENAI_API_KEY: 'none-is-needed', OPENAI_BASE_URL: model.url };
  if (call === undefined) {
    await writeFile(`${folder}/readme.test.ts`, block);
    await run('npx', ['vitest', 'run', '--dir', folder], { env });
    console.log(`answered: block ${index + 1}, as a test`);
  } else {
    await writeFile(`${folder}/as-printed.ts`, block);
    await run('node', [`${folder}/as-printed.ts`], { env });
    await writeFile(`${folder}/with-a-call.ts`, `${block}\n${call}\n`);
    const { stdout } = await run('node', [`${folder}/with-a-call.ts`], { env });
    assert.match(stdout, /Hello/, stdout);
    assert.equal(model.requests(), 2, 'The refusal was not retried.');
    console.log(`answered: block ${index + 1}, after ${stdout.trim().split('\n').join(', ')}`);
  }
  model.close();
}
