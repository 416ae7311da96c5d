/**
 * Starts workerd by way of Miniflare and prints its report: `node workerd.ts <folder> <origin> <refused URL>`. workerd
 * has no node_modules: it is given the installed files under the names that are imported. There is no
 * `nodejs_compat`, so that a built-in of Node cannot be had.
 */

import { createRequire } from 'node:module';
import { Miniflare } from 'miniflare';
import { readModules } from '../modules.ts';

const [folder = '', origin = '', refusedUrl = ''] = process.argv.slice(2);
const worker = new Miniflare({
  modules: await readModules(folder, 'worker.mjs'),
  compatibilityDate: '2026-06-01',
  // No look-up of the place of this machine in the network.
  cf: false,
});
try {
  const response = await worker.dispatchFetch('http://worker.example/', {
    method: 'POST',
    body: JSON.stringify({ origin, refusedUrl }),
  });
  const { version }: { version: string } = createRequire(import.meta.url)('workerd/package.json');
  console.log(JSON.stringify({ version, checks: JSON.parse(await response.text()) }));
} finally {
  await worker.dispose();
}
