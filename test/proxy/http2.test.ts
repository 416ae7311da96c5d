import { type ClientHttp2Session, type ClientHttp2Stream, connect, type IncomingHttpHeaders } from 'node:http2';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import type { Answer } from '../sockets/server.ts';
import { failOnUnhandled } from '../unhandled.ts';
import { endEach, startBoth, talk, until } from './talk.ts';

endEach();
failOnUnhandled();

const sessions: ClientHttp2Session[] = [];
afterEach(() => {
  for (const session of sessions.splice(0)) session.destroy();
});

interface Answered {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

function sessionTo(url: string): ClientHttp2Session {
  const session = connect(url);
  session.on('error', () => {});
  sessions.push(session);
  return session;
}

async function ask(session: ClientHttp2Session, headers: IncomingHttpHeaders, body?: string): Promise<Answered> {
  const stream = session.request({ ':path': '/', ...headers }, { endStream: body === undefined });
  if (body !== undefined) stream.end(body);
  const answered = new Promise<IncomingHttpHeaders>((resolve, reject) => {
    stream.once('response', resolve).once('error', reject);
  });
  const answer = await answered;
  return { status: Number(answer[':status']), headers: answer, body: await text(stream) };
}

const POST = { ':method': 'POST', ':path': '/v1/messages?a=b', 'content-type': 'application/json', 'x-api-key': 'k' };

describe('a client that begins with HTTP/2', () => {
  it('is answered over the same connection, with retries', async () => {
    const { proxy, target } = await startBoth(({ method, url, headers }, response, body) => {
      if (target.counts.requests === 1) response.writeHead(503).end();
      else {
        response.writeHead(200, { 'x-a': '1', connection: 'close' });
        response.end(JSON.stringify([method, url, headers['x-api-key'], headers['content-length'], String(body)]));
      }
    });
    const session = sessionTo(proxy.url);
    const { status, headers, body } = await ask(session, POST, '{"model":"m"}');
    expect([status, headers['x-a'], headers['connection']]).toEqual([200, '1', undefined]);
    expect(JSON.parse(body)).toEqual(['POST', '/v1/messages?a=b', 'k', '13', '{"model":"m"}']);
    expect(target.counts.requests).toBe(2);
    expect((await ask(session, {})).body).toContain('"GET","/"');
  });

  const breakOff: Answer = (request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('data: 1\n\n', () => setTimeout(() => request.socket.resetAndDestroy(), 20));
  };
  const piecesAndEnd = async (stream: ClientHttp2Stream): Promise<unknown[]> => {
    const pieces: string[] = [];
    stream.on('data', (piece: Buffer) => pieces.push(String(piece)));
    const error = await new Promise<Error>((resolve) => stream.once('error', resolve));
    return [...pieces, 'code' in error ? error.code : error];
  };

  it('gets a reset in place of an answer as a reset, which SDKs retry', async () => {
    const { proxy } = await startBoth((request) => request.socket.resetAndDestroy(), { retry: { maxRetries: 0 } });
    expect(await piecesAndEnd(sessionTo(proxy.url).request({ ':path': '/' }))).toEqual(['ECONNRESET']);
  });

  it('gets a stream piece by piece, and a reset during it as an error, not as its end', async () => {
    const { proxy } = await startBoth(breakOff);
    const stream = sessionTo(proxy.url).request({ ':path': '/' });
    expect(await piecesAndEnd(stream)).toEqual(['data: 1\n\n', 'ERR_HTTP2_STREAM_ERROR']);
  });

  it('gets a reset of one of several streams as a reset of that stream', async () => {
    const { proxy } = await startBoth((request, response, body) =>
      request.url === '/slow' ? setTimeout(() => response.end('whole'), 200) : breakOff(request, response, body),
    );
    const session = sessionTo(proxy.url);
    const slow = ask(session, { ':path': '/slow' });
    await until(() => proxy.running === 1);
    expect(await piecesAndEnd(session.request({ ':path': '/' }))).toEqual(['data: 1\n\n', 'ERR_HTTP2_STREAM_ERROR']);
    expect((await slow).body).toBe('whole');
  });

  it('ends its call when it resets the stream', async () => {
    const { proxy, target } = await startBoth((_request, response) => response.writeHead(503).end(), {
      retry: { baseDelayMs: 60_000 },
    });
    const stream = sessionTo(proxy.url).request(POST);
    stream.on('error', () => {}).end('{}');
    await until(() => proxy.waiting === 1);
    stream.close(8);
    await until(() => proxy.running === 0);
    expect(target.counts.requests).toBe(1);
  });

  it('ends its call when it closes the connection during a wait', async () => {
    const { proxy, target } = await startBoth((_request, response) => response.writeHead(503).end(), {
      retry: { baseDelayMs: 60_000 },
    });
    const session = sessionTo(proxy.url);
    session
      .request(POST)
      .on('error', () => {})
      .end('{}');
    await until(() => proxy.waiting === 1);
    session.destroy();
    await until(() => proxy.running === 0);
    expect(target.counts.requests).toBe(1);
  });

  it.each<[string, (stream: ClientHttp2Stream, session: ClientHttp2Session) => void]>([
    ['resets the stream', (stream) => stream.destroy(new Error('reset'))],
    ['closes the connection', (_stream, session) => session.destroy()],
  ])('has nothing sent to the target if it %s in the middle of its body', async (_what, leave) => {
    const { proxy, target } = await startBoth((_request, response) => response.end());
    const session = sessionTo(proxy.url);
    const stream = session.request(POST);
    stream.on('error', () => {}).write('{"model":');
    await until(() => proxy.running === 1);
    leave(stream, session);
    await until(() => proxy.running === 0);
    // A request that was sent would come before this one.
    await ask(sessionTo(proxy.url), {});
    expect(target.counts.requests).toBe(1);
  });

  it('is refused before it sends its body, and its stream ends', async () => {
    const { proxy } = await startBoth((_request, response) => response.end());
    const stream = sessionTo(proxy.url).request({ ...POST, ':authority': 'evil.example' });
    const closed = new Promise((resolve) => stream.once('close', resolve));
    stream.resume();
    expect(await new Promise((resolve) => stream.once('response', resolve))).toMatchObject({ ':status': 403 });
    await closed;
    expect(stream.rstCode).toBe(0);
  });

  it.each([
    ['another host', { ':authority': 'evil.example' }, 403],
    ['a page of elsewhere', { origin: 'https://evil.example' }, 403],
    ['a way out of the path', { ':path': '/..%2fadmin' }, 400],
  ])('is refused for %s', async (_title, headers, status) => {
    const { target } = await startBoth((_request, response) => response.end());
    const { proxy } = await startBoth(() => {}, { target: new URL('/v1/', target.url) });
    expect((await ask(sessionTo(proxy.url), headers)).status).toBe(status);
    expect(target.counts.requests).toBe(0);
  });

  it('gets a 204 and the answer to a HEAD without a body', async () => {
    const { proxy } = await startBoth(({ method }, response) =>
      response.writeHead(method === 'HEAD' ? 200 : 204).end(),
    );
    const session = sessionTo(proxy.url);
    expect(await ask(session, {})).toMatchObject({ status: 204, body: '' });
    expect(await ask(session, { ':method': 'HEAD' })).toMatchObject({ status: 200, body: '' });
  });

  it('does not keep a closed proxy open: its streams end, then its connection', async () => {
    const { proxy } = await startBoth((_request, response) => setTimeout(() => response.end('the last'), 50));
    const session = sessionTo(proxy.url);
    const closed = new Promise((resolve) => session.once('close', resolve));
    const last = ask(session, {});
    await until(() => proxy.running === 1);
    await proxy.close();
    expect((await last).body).toBe('the last');
    await closed;
  });

  it('gets no further response from a proxy that is cancelled', async () => {
    const { proxy } = await startBoth(() => {});
    const asked = ask(sessionTo(proxy.url), {}).catch(() => ({ status: 0 }));
    await until(() => proxy.running === 1);
    await proxy.cancel();
    expect([0, 503]).toContain((await asked).status);
  });
});

it('a connection that begins with HTTP/2 and continues otherwise is closed', async () => {
  const { proxy, target } = await startBoth((_request, response) => response.end());
  const { over } = talk(proxy.url, 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n');
  await over;
  expect(target.counts.requests).toBe(0);
});

it('a client of HTTP/1.1 may send its first line in pieces', async () => {
  const { proxy, host } = await startBoth((request, response) => response.end(request.method));
  const client = talk(proxy.url, 'P');
  await new Promise((resolve) => setTimeout(resolve, 30));
  client.socket.write(`OST / HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
  expect((await client.over).text).toMatch(/POST$/);
});

it('connections that have sent nothing are closed with the proxy', async () => {
  const { proxy } = await startBoth((_request, response) => response.end());
  const { over } = talk(proxy.url);
  await new Promise((resolve) => setTimeout(resolve, 30));
  await proxy.close();
  expect(await over).toMatchObject({ text: '' });
});
