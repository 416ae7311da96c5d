// Starts what `next build` made, and asks the route of each runtime.
import { spawn } from 'node:child_process';
import { once } from 'node:events';

const server = spawn('next', ['start', '--port', '0', '--hostname', '127.0.0.1'], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
try {
  let output = '';
  let origin;
  while (origin === undefined) {
    const [chunk] = await once(server.stdout, 'data');
    output += chunk;
    origin = /http:\/\/127\.0\.0\.1:[1-9]\d*/.exec(output)?.[0];
  }
  for (const route of ['node', 'edge']) {
    const response = await fetch(`${origin}/${route}`);
    const text = await response.text();
    if (text !== 'Hello') throw new Error(`${route}: ${response.status} ${text.slice(0, 300)}`);
    console.log(`answered: ${route}`);
  }
} finally {
  server.kill();
}
