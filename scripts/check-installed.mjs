// Runs before the scripts that use a tool with packages of its own: `node scripts/check-installed.mjs tools`.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const [folder] = process.argv.slice(2);
if (!existsSync(fileURLToPath(new URL(`../${folder}/node_modules`, import.meta.url)))) {
  console.error(`The packages of ${folder} are not installed: npm ci --prefix ${folder}`);
  process.exit(1);
}
