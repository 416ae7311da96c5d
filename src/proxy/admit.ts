/**
 * Refuses requests that name another host than this proxy, that come from a foreign web page, or that cannot be
 * repeated byte for byte. Requests that Node's parser refuses do not get this far.
 */

import type { IncomingMessage } from 'node:http';
import { RefusedError } from './problem.ts';

/**
 * Refuses a request for another host or from a foreign page. `hosts`: the accepted names; undefined: any. @throws
 * RefusedError
 */
export function admit(request: IncomingMessage, hosts: readonly string[] | undefined): void {
  admitHost(request, hosts);
  admitPage(request);
}

/** Refuses a request that cannot be sent to the target. @throws RefusedError */
export function admitToTarget({ method, headers, httpVersion }: IncomingMessage): void {
  if (headers['sec-fetch-site'] === 'none') {
    throw new RefusedError(
      403,
      'foreign_page',
      "An address typed into a browser is not forwarded, because the browser adds localhost's cookies.",
    );
  }
  // A TRACE response repeats the request, secrets included; fetch cannot send one.
  if (method === 'TRACE') throw new RefusedError(405, 'method_not_allowed', 'TRACE is not forwarded.');
  const encoding = headers['transfer-encoding'];
  if (encoding !== undefined && (encoding.toLowerCase() !== 'chunked' || httpVersion !== '1.1')) {
    throw new RefusedError(501, 'transfer_encoding', 'Expected Transfer-Encoding to be "chunked", in HTTP/1.1.');
  }
  // A client that offers an upgrade to HTTP/2 continues with HTTP/1.1 if the response ignores the offer.
  if (headers.upgrade !== undefined && !/^h2c?$/i.test(headers.upgrade)) {
    // After a 426, codex uses HTTP at once; after a 501 it tries the web socket again.
    throw new RefusedError(426, 'upgrade', 'This proxy has no web sockets; send the request over HTTP/1.1.', {
      upgrade: 'HTTP/1.1',
      connection: 'Upgrade',
    });
  }
  if (/^AWS4-/i.test(headers.authorization ?? '')) {
    throw new RefusedError(
      400,
      'signed_host',
      'An AWS signature (SigV4) covers the Host header, which the proxy changes. Use a Bedrock API key (AWS_BEARER_TOKEN_BEDROCK), or the library in the program.',
    );
  }
}

/**
 * The accepted values of the Host header of a proxy on the loopback: the names of the loopback, with the port. A page
 * whose DNS name was changed to point here (DNS rebinding) sends its own name. undefined for a proxy that other
 * machines can reach.
 */
export function hostsOf(host: string, port: number): readonly string[] | undefined {
  if (!isLoopback(host)) return undefined;
  const names = new Set(['127.0.0.1', 'localhost', '[::1]', host.includes(':') ? `[${host}]` : host.toLowerCase()]);
  const hosts = [...names].map((name) => `${name}:${port}`);
  return port === 80 ? [...hosts, ...names] : hosts;
}

export function isLoopback(host: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/i.test(host);
}

function admitHost({ rawHeaders }: IncomingMessage, hosts: readonly string[] | undefined): void {
  const given = rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === 'host');
  const [host] = given;
  if (host === undefined || given.length > 1) {
    throw new RefusedError(400, 'bad_request', 'Expected one Host header.');
  }
  if (hosts === undefined || hosts.includes(host.toLowerCase())) return;
  throw new RefusedError(403, 'foreign_host', `Expected the Host header to be ${hosts.slice(0, 2).join(' or ')}.`);
}

/** Any page can make a browser send a request here; the call may cost money even if the page cannot read the answer. */
function admitPage({ headers }: IncomingMessage): void {
  const { origin, 'sec-fetch-site': site } = headers;
  const isForeign =
    origin === undefined
      ? site === 'cross-site' || site === 'same-site'
      : !URL.canParse(origin) || !isLoopback(new URL(origin).hostname);
  if (!isForeign) return;
  throw new RefusedError(
    403,
    'foreign_page',
    'A request from a web page is forwarded only if the page is from this machine.',
  );
}
