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

/** What the network did, at the end of what clients and other programs print, whatever stands before it. */
export const NETWORK_ENDS: readonly string[] = [
  // In a sentence, "failed to fetch" may be about images, users and much else.
  '(?:^|\\n|: )failed to fetch(?: \\(\\S{1,80}\\))?\\.?(?=\\n|$)',
  // Go's, Rust's and Python's.
  '[:"(] ?(?:(?<=": )(?:unexpected )?eof|connectex: .{1,200}|(?:read|write|connect|dial tcp \\S{1,80}): connection (?:refused|reset by peer)|i/o timeout|no such host|broken pipe|network is unreachable|\\[ssl: (?:bad_record_mac|unexpected_eof_while_reading)\\].{0,120}|connection reset by peer)[)."]{0,4}$',
  // Those of node-fetch and its agents, some with a reason.
  '^(?:\\w{0,20}error: )?(?:invalid response body while .{0,2048}premature close|response timeout while|request to \\S{1,2048} failed, reason:|proxy connection ended)',
];
