/** The faults: for each threat of SECURITY.md one guard to remove, and the test that must detect that. */

export interface Fault {
  /** The name in SECURITY.md. */
  readonly threat: string;
  /** Relative to the root of the repository. */
  readonly file: string;
  /** Occurs exactly once in the file. */
  readonly guard: string;
  readonly fault: string;
  /** One of the test files in the threat's row. */
  readonly test: string;
}

export const FAULTS: readonly Fault[] = [
  {
    threat: 'An error body without end',
    file: 'src/body/response-body.ts',
    guard: 'const PEEK_MS = 250;',
    fault: 'const PEEK_MS = 250_000;',
    test: 'test/body/response-body.test.ts',
  },
  {
    threat: 'A gzip bomb',
    file: 'src/body/response-body.ts',
    guard: 'while (bytes <= maxBytes) {',
    fault: 'while (bytes <= maxBytes * 16) {',
    test: 'test/body/response-body.test.ts',
  },
  {
    threat: '200,000 brackets',
    file: 'src/runtime/values.ts',
    guard: `  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }`,
    fault: '  return JSON.parse(text);',
    test: 'test/classify/index.test.ts',
  },
  {
    threat: 'A stream that sends no content',
    file: 'src/http/hold.ts',
    guard: 'reading.run(signal, maxHoldBytes, maxHoldMs,',
    fault: 'reading.run(signal, Number.POSITIVE_INFINITY, maxHoldMs,',
    test: 'test/http/hold.test.ts',
  },
  {
    threat: '`Retry-After` of years',
    file: 'src/loop/decide.ts',
    guard: "retryAfter === 'obey' && hintMs > policy.maxRetryAfterMs",
    fault: "retryAfter === 'obey' && hintMs > Number.POSITIVE_INFINITY",
    test: 'test/sockets/retry-after.test.ts',
  },
  {
    threat: 'Prototype pollution',
    file: 'src/runtime/expect.ts',
    guard: 'return Object.setPrototypeOf(Object.fromEntries(given), null);',
    fault: 'return Object.fromEntries(given) as Given<T>;',
    test: 'test/options/rows.test.ts',
  },
  {
    threat: 'Secrets in events, failures and errors',
    file: 'src/http/http-face.ts',
    guard: '...secretsOf(this)',
    fault: '...[]',
    test: 'test/redact/secrets.test.ts',
  },
  {
    threat: 'Secrets in events, failures and errors',
    file: 'src/fetch-transport.ts',
    guard: 'rememberSecrets(this, secretsOf({ headers: this.#headers }));',
    fault: 'rememberSecrets(this, secretsOf({}));',
    test: 'test/redact/secrets.test.ts',
  },
  {
    threat: 'Secrets in events, failures and errors',
    file: 'src/redact/redact.ts',
    guard: '/* @__PURE__ */ keyShape(),',
    fault: '',
    test: 'test/redact/secrets.test.ts',
  },
  {
    threat: 'Secrets that a server escapes, masks or cuts',
    file: 'src/redact/redact.ts',
    guard: 'const MAX_ESCAPED = 3;',
    fault: 'const MAX_ESCAPED = 0;',
    test: 'test/redact/redact.test.ts',
  },
  {
    threat: 'Secrets that a server escapes, masks or cuts',
    file: 'src/redact/redact.ts',
    guard: 'return scrub(withoutDirectionMarks(cutText(text, searched)), secrets, 1).slice(0, length);',
    fault: 'return scrub(withoutDirectionMarks(text.slice(0, length)), secrets, 6);',
    test: 'test/redact/redact.test.ts',
  },
  {
    threat: 'Secrets in a printed error or a URL',
    file: 'src/failure/http-status-error.ts',
    guard: 'this.#response = response;',
    fault: 'this.#response = response;\n    Reflect.set(this, "cause", response);',
    test: 'test/failure/http-status-error.test.ts',
  },
  {
    threat: 'Secrets in a printed error or a URL',
    file: 'src/redact/redact.ts',
    guard: 'splitUserinfo(url).rest.replace(',
    fault: 'url.replace(',
    test: 'test/redact/public-url.test.ts',
  },
  {
    threat: 'Secrets in files',
    file: 'src/report/line-file.ts',
    guard: 'const FILE_MODE = 0o600;',
    fault: 'const FILE_MODE = 0o644;',
    test: 'test/report/line-file.test.ts',
  },
  {
    threat: 'Keys that follow a redirect',
    file: 'src/fetch-transport.ts',
    guard: 'if (location.origin !== new URL(from).origin) {',
    fault: 'if (location.origin === "") {',
    test: 'test/fetch-transport.test.ts',
  },
  {
    threat: 'Keys that follow a fallback',
    file: 'src/http/create-fallback.ts',
    guard: 'isSameOrigin(url, own) ? kept : ordinaryHeaders(kept)',
    fault: 'isSameOrigin(url, own) ? kept : kept',
    test: 'test/route/origins.test.ts',
  },
  {
    threat: 'Keys that follow a fallback',
    file: 'src/http/create-fallback.ts',
    guard: '? withoutCredentialsOf(given.url, rewritten.url)',
    fault: '? rewritten.url',
    test: 'test/route/origins.test.ts',
  },
  {
    threat: 'Keys that follow a fallback',
    file: 'src/fetch-transport.ts',
    guard: 'isElsewhere ? ordinaryHeaders(this.#headers) : this.#headers',
    fault: 'isElsewhere ? this.#headers : this.#headers',
    test: 'test/route/origins.test.ts',
  },
  {
    threat: 'A side effect that happens twice',
    file: 'src/options/operation.ts',
    guard: "safety !== 'safe' &&",
    fault: "safety === 'conditional' &&",
    test: 'test/loop/repetition.test.ts',
  },
  {
    threat: 'A body that is sent again empty or torn',
    file: 'src/http/request-parts.ts',
    guard: 'return !ONE_SHOT_METHODS.some((name) => hasMethod(body, name));',
    fault: 'return true;',
    test: 'test/sockets/bodies.test.ts',
  },
  {
    threat: 'A body that is sent again empty or torn',
    file: 'src/http/request-copy.ts',
    guard: 'if (ArrayBuffer.isView(body)) return copyView(body);',
    fault: 'if (ArrayBuffer.isView(body)) return body;',
    test: 'test/http/request-copy.test.ts',
  },
  {
    threat: 'Retry storms',
    file: 'src/options/rows.ts',
    guard: 'if (isLimit(maxTotalDelayMs) && lastMs !== 0) return;',
    fault: 'return;',
    test: 'test/options/rows.test.ts',
  },
  {
    threat: 'A layer of retries above',
    file: 'src/body/remake-response.ts',
    guard: 'if (body !== null) hide(body, OWNER, response);',
    fault: '',
    test: 'test/http/mark-final.test.ts',
  },
  {
    threat: 'Leaks under load',
    file: 'src/runtime/abort.ts',
    guard: "if (wasOpen) signal.removeEventListener('abort', onAbort);",
    fault: '',
    test: 'test/runtime/abort.test.ts',
  },
  {
    threat: 'A response that is given up or discarded',
    file: 'src/body/response-body.ts',
    guard: 'if (chunk !== null) stream.unshift(chunk);',
    fault: 'if (chunk === null) stream.unshift(chunk);',
    test: 'test/body/response-body.test.ts',
  },
  {
    threat: "Escape sequences in a server's words",
    file: 'src/report/json-line.ts',
    guard: '.replace(UNSAFE, escaped)',
    fault: '',
    test: 'test/report/json-line.test.ts',
  },
  {
    threat: 'A report or journal that was changed',
    file: 'src/report/line-file.ts',
    guard: '[constants.O_NOFOLLOW, constants.O_NONBLOCK, constants.O_NOCTTY]',
    fault: '[constants.O_NONBLOCK, constants.O_NOCTTY]',
    test: 'test/report/line-file.test.ts',
  },
  {
    threat: 'The proxy: a request for another server',
    file: 'src/proxy/target-url.ts',
    guard: 'mayClimb(url.pathname.slice(basePath.length))',
    fault: 'mayClimb("")',
    test: 'test/proxy/target-url.test.ts',
  },
  {
    threat: 'The proxy: request smuggling',
    file: 'src/proxy/request-headers.ts',
    guard: 'if (isHopByHop(name) || SET_BY_FETCH.has(name)) joined.delete(name);',
    fault: 'if (SET_BY_FETCH.has(name)) joined.delete(name);',
    test: 'test/proxy/request-headers.test.ts',
  },
  {
    threat: 'The proxy: DNS rebinding',
    file: 'src/proxy/admit.ts',
    guard: '  admitHost(request, hosts);\n',
    fault: '',
    test: 'test/proxy/admit.test.ts',
  },
  {
    threat: 'The proxy: a body over its limit',
    file: 'src/proxy/read-body.ts',
    guard: "if (Number(headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes);",
    fault: '',
    test: 'test/proxy/read-body.test.ts',
  },
  {
    threat: 'A dependency that becomes malicious',
    file: 'package.json',
    guard: '"p-retry": "9.',
    fault: '"p-retry": "^9.',
    test: 'test/supply-chain.test.ts',
  },
  {
    threat: 'A late timer',
    file: 'src/runtime/runtime.ts',
    guard: 'if ((!isAnyLate && now === last) || leftMs < 0) return onOver();',
    fault: 'if (now === last || leftMs < 0) return onOver();',
    test: 'test/runtime/runtime.test.ts',
  },
  {
    threat: 'An answer that ends early',
    file: 'src/http/look.ts',
    guard: "const isEmpty = drained && text.trim() === '' && isModelRequest(face) === true;",
    fault: 'const isEmpty = false;',
    test: 'test/http/look.test.ts',
  },
  {
    threat: 'A journal of millions of invalid lines',
    file: 'src/report/read-journal.ts',
    guard: 'if (found.length === maxEntries || damagedLines === MOST_DAMAGED) break;',
    fault: 'if (found.length === maxEntries) break;',
    test: 'test/report/read-journal.test.ts',
  },
  {
    threat: 'The proxy: answers that stall while they are held',
    file: 'src/proxy/byte-budget.ts',
    guard: 'const hasRoom = this.#bytes + bytes <= this.#maxBytes / 2;',
    fault: 'const hasRoom = true;',
    test: 'test/proxy/limits.test.ts',
  },
  {
    threat: 'The proxy: itself as its target',
    file: 'src/proxy/proxy.ts',
    guard: "for (const address of ['::1', '0.0.0.0', '::']) own.addAddress(address, familyOf(address));",
    fault: '',
    test: 'test/proxy/proxy.test.ts',
  },
  {
    threat: 'A tool call in an unusual body',
    file: 'src/http/request-words.ts',
    guard: 'if (isGzip(bytes)) return undefined;',
    fault: '',
    test: 'test/http/request-words.test.ts',
  },
];
