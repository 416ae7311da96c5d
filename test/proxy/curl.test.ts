import { execFile, execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { endEach, startBoth, troubled } from './talk.ts';

endEach();

interface Ended {
  readonly exitCode: number;
  readonly output: string;
  readonly errors: string;
}

/** Runs the curl of this machine, without the settings of its user. */
function curl(...argv: readonly string[]): Promise<Ended> {
  return new Promise((resolve) => {
    const child = execFile('curl', ['-q', '-sS', '--noproxy', '*', ...argv], (error, output, errors) =>
      resolve({ exitCode: typeof error?.code === 'number' ? error.code : 0, output, errors }),
    );
    child.stdin?.end();
  });
}

function hasCurl(): boolean {
  try {
    execFileSync('curl', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

describe.runIf(hasCurl())('curl', () => {
  it('gets the streamed answer through failures of each kind', async () => {
    const { proxy, target } = await startBoth(troubled(), { retry: { maxRetries: 4 } });
    const argv = ['-N', '-i', '-H', 'x-api-key: key', '-d', '{"stream":true}', `${proxy.url}/v1/messages`];
    const { exitCode, output } = await curl(...argv);
    expect([exitCode, target.counts.requests]).toEqual([0, 5]);
    expect(output).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    const tokens = Array.from(output.matchAll(/"text_delta","text":("(?:[^"\\]|\\.)*")/g), ([, text = '']) =>
      String(JSON.parse(text)),
    );
    expect(tokens.join('')).toBe('The answer came only once.\n');
    expect(output.trimEnd()).toMatch(/event: message_stop\ndata: \{"type":"message_stop"\}$/);
  });

  it('asks before it sends a long body, and gets a 100 or a refusal', async () => {
    const { proxy, target } = await startBoth((_request, response, body) => response.end(String(body.length)), {
      maxBodyBytes: 2_000_000,
    });
    const send = (bytes: number): Promise<Ended> =>
      curl('-v', '-H', 'Expect: 100-continue', '--data-binary', 'x'.repeat(bytes), proxy.url);
    const taken = await send(100_000);
    expect(taken).toMatchObject({
      exitCode: 0,
      output: '100000',
      errors: expect.stringContaining('HTTP/1.1 100 Continue'),
    });
    const chunked = await curl('-H', 'Transfer-Encoding: chunked', '--data-binary', 'hello', proxy.url);
    expect(chunked.output).toBe('5');
    const small = await startBoth(() => {}, { maxBodyBytes: 10 });
    const refused = await curl('-w', '%{http_code}', '--data-binary', 'x'.repeat(100_000), small.proxy.url);
    expect(refused).toMatchObject({ exitCode: 0, output: expect.stringMatching(/"body_too_large".*\n413$/) });
    expect([target.counts.requests, small.target.counts.requests]).toEqual([2, 0]);
  });

  it('detects that an answer broke off', async () => {
    const { proxy } = await startBoth((request, response) => {
      response.write('the beginning', () => setTimeout(() => request.socket.resetAndDestroy(), 20));
    });
    // 18: only a part of the file arrived; 56: the connection failed.
    const { exitCode, output } = await curl(proxy.url);
    expect(output).toBe('the beginning');
    expect([18, 56]).toContain(exitCode);
  });

  it.each([
    ['as a proxy for another origin', (url: string) => ['--noproxy', '', '-x', url, 'http://evil.example/'], 403],
    ['as a tunnel', (url: string) => ['--noproxy', '', '-p', '-x', url, 'http://evil.example/'], 405],
    ['by another Host', (url: string) => ['-H', 'Host: evil.example', url], 403],
    ['by a path with two slashes', (url: string) => ['--path-as-is', `${url}//evil.example/`], 400],
    [
      'with Content-Length and Transfer-Encoding',
      (url: string) => ['-H', 'Transfer-Encoding: chunked', '-H', 'Content-Length: 3', '-d', 'abc', url],
      400,
    ],
  ])('reaches no other origin %s', async (_title, argvFor, status) => {
    const { proxy, target } = await startBoth((_request, response) => response.end('from the target'));
    const { output, errors } = await curl('-w', ' %{http_code} %{http_connect}', ...argvFor(proxy.url));
    expect(output + errors).toContain(String(status));
    expect(target.counts.requests).toBe(0);
  });
});
