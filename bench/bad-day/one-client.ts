/** A process for one client: leads each of its settings through all troubles and seeds, and prints the results. */

import type { Client } from './client.ts';
import { runDay } from './day.ts';
import { troubles } from './troubles.ts';
import type { Cell } from './score.ts';
import { enterVirtualTime } from './virtual-clock.ts';

const [clientFile = '', seedsText = '1', troublesText = '', count = '20'] = process.argv.slice(2);

// A client may leave rejections behind; they would end the process.
process.on('unhandledRejection', () => {});
process.on('uncaughtException', (error) => console.error(`${clientFile}: ${error.message}`));
console.log = console.warn = console.info = () => {};

enterVirtualTime();
// Node's own fetch keeps its time limits of 300 s in real time; this is the same code, with clocks that can be replaced.
const { install } = await import('undici');
install();
const { default: client }: { default: Client } = await import(`./clients/${clientFile}`);
const chosen = troublesText.split(',');

for (const [name, trouble] of troubles) {
  if (troublesText !== '' && !chosen.includes(name)) continue;
  for (const setting of client.settings)
    for (const seed of seedsText.split(',').map(Number)) {
      const { calls, requests } = await runDay(setting, trouble, seed, Number(count));
      const cell: Cell = { client: client.name, setting: setting.name, trouble: name, seed, calls, requests };
      process.stdout.write(`${JSON.stringify(cell)}\n`);
    }
}
process.exit(0);
