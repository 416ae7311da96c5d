/**
 * Headers that belong to one connection, in requests and responses: those of RFC 9110 section 7.6.1, older names that
 * are still in use, and every name in `Connection`.
 */

const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authentication-info',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * Returns a test for headers that end at this connection. `connection`: the value of the message's `Connection`
 * headers.
 */
export function hopByHop(connection: string | null | undefined): (name: string) => boolean {
  const named = new Set((connection ?? '').split(',').map((name) => name.trim().toLowerCase()));
  return (name) => HOP_BY_HOP.has(name) || named.has(name);
}
