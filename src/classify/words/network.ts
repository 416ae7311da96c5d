/** What runtimes, clients and proxies say of a network that failed. Each is a whole word or more, or the beginning of a text. */

export const NETWORK_WORDS: readonly string[] = [
  'econn(?:refused|reset|aborted)|enotfound|etimedout|epipe|eai_again',
  'fetch failed|load failed|socket hang up|other side closed|premature close|socket connection was closed',
  'did not get a response|ended without sending any chunks|stream has been aborted|error in (?:input|body) stream',
  'received rst_stream|connect timeout|unable to connect|cannot connect to api',
  'connection (?:error|reset|refused|closed|lost|timed out|terminated|aborted)|aborted due to connection closure',
  'decryption failed or bad record mac|unexpected_eof_while_reading',
  'network (?:error|failure|timeout|connection|request failed|socket|changed|(?:is )?(?:down|unreachable|lost))',
  '^(?:typeerror: )?terminated\\b|^(?:request|operation) timed out\\b',
  '^timed out after \\d{1,9} ?(?:s|sec|seconds|ms)[.!]?$|^network$',
  '^client error \\((?:connect|sendrequest)\\)|^14 unavailable:',
  '^net::err_(?!aborted|access|blocked|cert|cleartext|disallowed|file|insufficient|invalid|ssl|too_many|unknown_url|unsafe)',
];
