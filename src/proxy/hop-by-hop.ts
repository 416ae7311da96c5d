/**
 * Headers that belong to one connection, in either direction: RFC 9110 section 7.6.1 and the older names that are still
 * about. Whatever `Connection` names is one as well.
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

/** Whether a header ends at this connection. `connection`: what the message's own `Connection` headers say. */
export function hopByHop(connection: string | null | undefined): (name: string) => boolean {
  const named = new Set((connection ?? '').split(',').map((name) => name.trim().toLowerCase()));
  return (name) => HOP_BY_HOP.has(name) || named.has(name);
}
