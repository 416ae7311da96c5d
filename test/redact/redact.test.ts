import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { excerpt, redact, secretsOf } from '../../src/redact/redact.ts';

describe('redact', () => {
  it.each([
    ['OpenAI', 'sk-proj-Ab12Cd34Ef56Gh78'],
    ['OpenAI, a short one', 'sk-abc123'],
    ['Anthropic', 'sk-ant-api03-AbCdEf_GhIjKl-MnOp'],
    ['OpenRouter', 'sk-or-v1-0123456789abcdef0123456789abcdef'],
    ['Google', 'AIzaSyA1234567890abcdefghijklmnopqrstuv'],
    ['Google OAuth', 'ya29.a0AfH6SMBx_y-z0123456789'],
    ['xAI', 'xai-Ab12Cd34Ef56Gh78Ij90'],
    ['Groq', 'gsk_Ab12Cd34Ef56Gh78Ij90'],
    ['Hugging Face', 'hf_AbCdEfGhIjKlMnOpQr'],
    ['Perplexity', 'pplx-ab12cd34ef56gh78ij90'],
    ['Cerebras', 'csk-ab12cd34ef56gh78ij90'],
    ['Fireworks', 'fw_ab12CD34ef56GH78ij90'],
    ['Cerebras, masked', 'csk-ab***90'],
    ['AWS', 'AKIAIOSFODNN7EXAMPLE'],
    ['AWS, for a while', 'ASIAIOSFODNN7EXAMPLE'],
    ['GitHub', 'ghp_AbCdEfGhIjKlMnOpQrStUvWxYz0123456789'],
    ['GitHub, fine-grained', 'github_pat_11ABCDEFG0_abcdefghijklmnop'],
    ['Replicate', 'r8_AbCdEfGhIjKlMnOpQrSt'],
    ['NVIDIA', 'nvapi-AbCd_EfGh-IjKlMnOp'],
    ['a JSON Web Token', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl'],
    ['an encrypted JSON Web Token', 'eyJhbGciOiJSU0EifQ.a2V5a2V5.aXZpdg.dGV4dA.dGFn'],
    ['one that is encrypted with a shared key', 'eyJhbGciOiJkaXIifQ..aXZpdg.dGV4dA.dGFn'],
  ])('recognises the key of %s', (_provider, key) => {
    expect(redact(`Incorrect API key provided: ${key}. Find yours`)).toBe(
      'Incorrect API key provided: [redacted]. Find yours',
    );
    expect(redact(`{"message":"key \\n${key}\\u0022 \\u003d${key}"}`)).toBe(
      '{"message":"key \\n[redacted]\\u0022 \\u003d[redacted]"}',
    );
  });

  it.each([
    ['Authorization: Bearer my-secret-token', 'Authorization: Bearer [redacted]'],
    ['authorization: bearer abcdef', 'authorization: bearer [redacted]'],
    ['Authorization: Basic dXNlcjpwYXNzd29yZA==', 'Authorization: Basic [redacted]'],
    ['Authorization: ApiKey aWQ6c2VjcmV0MQ==', 'Authorization: ApiKey [redacted]'],
    ['SharedAccessSignature sr=hub&sig=a%2Bb%3D&se=1', 'SharedAccessSignature sr=hub&sig=[redacted]&se=1'],
    ['SharedAccessSignature sig=a%2Bb%3D&sr=hub', 'SharedAccessSignature sig=[redacted]&sr=hub'],
    ['Endpoint=sb://h/;SharedAccessKey=abc123=;x', 'Endpoint=sb://h/;SharedAccessKey=[redacted];x'],
    ["Consumer 'api_key:AbCdEf' is suspended", "Consumer 'api_key:[redacted]' is suspended"],
    ['{"x-api-key": "0123456789"}', '{"x-api-key": "[redacted]"}'],
    ['{"error":"{\\"api_key\\":\\"abcdef\\"}"}', '{"error":"{\\"api_key\\":\\"[redacted]\\"}"}'],
    ['API key: abc123def456 is wrong', 'API key: [redacted] is wrong'],
    ['API key : abc123def456', 'API key : [redacted]'],
    ['api key="abc123def456"', 'api key="[redacted]"'],
    ['API key:  abc123def456', 'API key:  abc123def456'],
    ['password: please-do-check-your-own', 'password: [redacted]'],
    ['password=hunter2', 'password=[redacted]'],
    ['https://h/x?key=abc&alt=sse', 'https://h/x?key=[redacted]&alt=sse'],
    ['https://h/x?a=b&api-key=abcdef#f', 'https://h/x?a=b&api-key=[redacted]#f'],
    ['https://h/x?access_token=abcdef', 'https://h/x?access_token=[redacted]'],
    ['https://h/x?a=b\\u0026sig=abc%2F', 'https://h/x?a=b\\u0026sig=[redacted]'],
    ['https://user:pass@host/x', 'https://[redacted]@host/x'],
  ])('masks values with a secret name in %s', (text, scrubbed) => {
    expect(redact(text)).toBe(scrubbed);
  });

  it.each([
    'Rate limit reached for gpt-5.1 in organization org-AAA on tokens per min (TPM): Limit 30000.',
    'Bearer token missing',
    ...['auth', 'authentication', 'authorization', 'credential', 'credentials', 'format', 'header', 'headers'].map(
      (word) => `the Bearer ${word} is wrong`,
    ),
    ...['prefix', 'required', 'scheme', 'string', 'strings', 'token', 'tokens'].map((word) => `Bearer ${word}`),
    'Bearer error=invalid_token',
    'Basic authorization',
    'Basic Authentication',
    'WWW-Authenticate: Bearer realm="OpenAI API", error="invalid_token"',
    'Basic authentication is required',
    'ApiKey authentication is required',
    'Invalid API key: please check it.',
    '{"error":{"code":"invalid_api_key","param":null}}',
    'use sk-learn, the risk-management-handbook-2026 and task-force-1234567',
    'pplx-70b-online, xai-org/grok, hf_hub_download, gsk_x',
    ...['Please wait... then retry', 'a ** b ** c', 'https://h/x?alt=sse&keyword=abc', 'mailto:someone@example.com'],
    '',
  ])('leaves "%s" unchanged', (text) => {
    expect(redact(text, ['some-other-secret'])).toBe(text);
  });

  it.each([
    ...['api_key', 'api-key', 'api key', 'apikey', 'ApiKey', 'access_token', 'access-token', 'accessToken'],
    ...['auth_token', 'auth-token', 'authToken', 'refresh_token', 'refresh-token', 'refreshToken'],
    ...['client_secret', 'client-secret', 'clientSecret', 'password'],
  ])('scrubs what is named %s', (name) => {
    expect(redact(`${name}=abc123`)).toBe(`${name}=[redacted]`);
  });

  it.each(['tokenized-value', 'headers123', 'errors', 'stringent1', 'schemes'])(
    'takes the token "%s" for no word about the scheme',
    (token) => {
      expect(redact(`Bearer ${token}`)).toBe('Bearer [redacted]');
    },
  );

  it.each(['dXNlcjpw', 'abcdEfgh', 'abcdefg1', 'abcdefgh='])('takes %s for Base64', (token) => {
    expect(redact(`Basic ${token}`)).toBe('Basic [redacted]');
  });

  it('masks an echo of one of several secrets', () => {
    expect(redact('0123****cdef', ['another-secret', '0123456789abcdef'])).toBe('[redacted]');
  });

  it('masks one value that is not in a list', () => {
    expect(redact('The key plain-secret is wrong', 'plain-secret')).toBe('The key [redacted] is wrong');
  });

  it('masks the given values at any position', () => {
    expect(redact('a hunter-two b hunter-two', ['hunter-two'])).toBe('a [redacted] b [redacted]');
    expect(redact('xhunter-twox', new Set(['hunter-two']))).toBe('x[redacted]x');
  });

  it('masks the longest value first, so that no part of it remains', () => {
    expect(redact('secret-value-long', ['secret', 'secret-value-long', 'secret-value'])).toBe('[redacted]');
  });

  it('masks a value in its JSON and URL encodings', () => {
    const secret = 'a"b\\c d/e';
    expect(redact(JSON.stringify({ secret }), [secret])).toBe('{"secret":"[redacted]"}');
    expect(redact(`x=${encodeURIComponent(secret)}`, [secret])).toBe('x=[redacted]');
    expect(redact('ka&lt;\\R7', ['ka<\\R7'])).toBe('[redacted]');
    expect(redact('kab\\\\\\\\%47', ['kab\\\\%47'])).toBe('[redacted]');
    expect(redact('half \uD800-pair', ['\uD800-pair'])).toBe('half [redacted]');
  });

  const spellings: Readonly<Record<string, (secret: string) => string>> = {
    'as it is': (secret) => secret,
    'in capitals': (secret) => secret.replace(/[a-z]/g, (letter) => letter.toUpperCase()),
    'in small letters': (secret) => secret.replace(/[A-Z]/g, (letter) => letter.toLowerCase()),
    'in JSON': (secret) => JSON.stringify(secret).slice(1, -1),
    'in the JSON of PHP': (secret) => JSON.stringify(secret).slice(1, -1).replaceAll('/', '\\/'),
    'in the JSON of .NET': (secret) => secret.replace(/[^\w.-]/g, (c) => `\\u${hex(c, 4).toUpperCase()}`),
    'in JSON in JSON': (secret) => JSON.stringify(JSON.stringify(secret)).slice(3, -3),
    'in a URL': encodeURIComponent,
    'in a URL, in small letters': (secret) =>
      encodeURIComponent(secret).replace(/%../g, (escape) => escape.toLowerCase()),
    'in a URL, each character': (secret) => secret.replace(/[!-~]/g, (c) => `%${hex(c, 2)}`),
    'in a URL in a URL': (secret) => encodeURIComponent(encodeURIComponent(secret)),
    'in a form': (secret) => new URLSearchParams({ x: secret }).toString().slice(2),
    'in HTML': (secret) => secret.replace(/[&<>"']/g, (c) => HTML[c] ?? c),
    'in HTML, with every name': (secret) => secret.replace(/[&<>"'+/\\=:._%-]/g, (c) => HTML[c] ?? c),
    'in HTML, by numbers': (secret) => secret.replace(/[^\w]/g, (c) => `&#x${hex(c, 1)};`),
    'in HTML in JSON': (secret) => JSON.stringify(secret.replace(/\W/g, (c) => `&#${c.charCodeAt(0)};`)).slice(1, -1),
    'in lines of 19 characters': (secret) => linesOf(secret).join('\n'),
    'in indented lines of Windows': (secret) => linesOf(secret).join('\r\n    '),
    'in lines in JSON': (secret) => JSON.stringify(linesOf(secret).join('\n')).slice(1, -1),
    'with characters without a width': (secret) => Array.from(secret).join('\u200B'),
    'with soft hyphens': (secret) => linesOf(secret).join('\u00AD'),
    'in the repr of Python': (secret) => secret.replaceAll('\\', '\\\\').replaceAll("'", "\\'"),
  };
  const linesOf = (secret: string): readonly string[] => secret.match(/[^]{1,19}/g) ?? [];
  const hex = (character: string, digits: number): string => character.charCodeAt(0).toString(16).padStart(digits, '0');
  const HTML: Readonly<Record<string, string>> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&apos;',
    '+': '&plus;',
    '/': '&sol;',
    '\\': '&bsol;',
    '=': '&equals;',
    ':': '&colon;',
    '.': '&period;',
    _: '&lowbar;',
    '-': '&hyphen;',
    '%': '&percnt;',
  };
  const characters = Array.from('abcdefghijklmnopqrstuvwyzABCDEFGHIJKLMNOPQRSTUVWYZ0123456789+/=._~:-&<>"\'\\%{}ü');
  // Letters at both ends, for the end of one escape could be read as the beginning of another.
  const secretText = fc
    .string({ unit: fc.constantFrom(...characters), minLength: 4, maxLength: 60 })
    .map((middle) => `k${middle}7`);
  const place = fc.constantFrom<readonly [string, string]>(
    ['', ''],
    ['key ', ' is wrong'],
    ['{"message":"', '"}'],
    ['\\n', '\\n'],
    ['%20', '%20'],
    ['<b>', '</b>'],
  );

  describe.each(Object.entries(spellings))('a secret %s', (spelling, spell) => {
    // Broken over lines, an escape in the secret itself may be read in two ways; keys have none.
    const isBroken = /lines|width|hyphens/.test(spelling);

    test.prop([secretText, place])('is replaced completely, and nothing else is', (secret, [before, after]) => {
      fc.pre(!isBroken || !/[\\%&]/.test(secret));
      expect(redact(before + spell(secret) + after, ['another-secret', secret])).toBe(`${before}[redacted]${after}`);
    });

    test.prop([secretText, fc.nat(8_000), fc.integer({ min: 10, max: 2_000 })], {
      examples: [['ka\\aaa//üaaaa7', 6, 10]],
    })('leaves no beginning of it where an excerpt was cut', (secret, before, length) => {
      fc.pre(secret.length >= 8);
      const spelt = spell(secret);
      const text = `${'é'.repeat(before)}${spelt}${'é'.repeat(8_000)}`;
      expect(excerpt(text, length, [secret]).replaceAll(/[é\s\u00AD\u200B]|\\n/g, '')).toMatch(
        /^(?:\[r?e?d?a?c?t?e?d?\]?)?.{0,3}$/,
      );
    });
  });

  const key = fc.string({ unit: fc.constantFrom(...characters.slice(0, 62), '.', '-'), minLength: 16, maxLength: 60 });
  test.prop([
    key,
    fc.integer({ min: 2, max: 8 }),
    fc.integer({ min: 2, max: 4 }),
    fc.constantFrom(
      ...[
        ...['**', '***', '##', '####', '____', '----', '…', '...', '[...]', '[…]', '••••', 'xxxx', 'XXXXXX'],
        ...['\\u2026', '%E2%80%A6'],
      ],
    ),
    place,
  ])('shows no part of a secret that a server masked partly', (secret, head, tail, mask, [before, after]) => {
    // A letter of the mask or a dot at the edge makes another mask, and so do three dots, four x or four hyphens in the visible part.
    fc.pre(/\w$/.test(secret.slice(0, head)) && /^\w/.test(secret.slice(-tail)));
    fc.pre(!/\.{3}|x{4}|-{4}/i.test(`${secret.slice(0, head)} ${secret.slice(-tail)}`));
    const echo = secret.slice(0, head) + mask + secret.slice(-tail);
    expect(redact(before + echo + after, [secret])).toBe(`${before}[redacted]${after}`);
  });

  test.prop([key, fc.integer({ min: 12, max: 59 })])(
    'leaves nothing of a secret of which a server shows the larger half',
    (secret, shown) => {
      fc.pre(shown >= secret.length / 2 && shown < secret.length);
      for (const part of [secret.slice(0, shown), secret.slice(-shown)])
        expect(redact(`key ${part} is wrong`, [secret])).toBe('key [redacted] is wrong');
    },
  );

  it('leaves no beginning of a secret at the end of a text', () => {
    expect(redact('Incorrect API key provided: 01234567', ['0123456789abcdef'])).toBe(
      'Incorrect API key provided: [redacted]',
    );
  });

  it('leaves short values and its own mark unchanged', () => {
    expect(redact('true story: beta, [redacted]', ['true', 'beta', '', 'redacted'])).toBe(
      'true story: beta, [redacted]',
    );
  });

  it.each([
    ['not-a-r****key', ['not-a-real-key']],
    ['0123.45****cdef', ['0123.4567.89abcdef']],
    ['0123xxxxxxcdef', ['0123456789abcdef']],
    ['<not-a-r****key>', ['<not-a-real-key>']],
    ['0123****cdef', ['0123456789abcdef']],
    ['01***ef', ['0123456789abcdef']],
    ['****cdef', ['0123456789abcdef']],
    ['0123…', ['0123456789abcdef']],
    ['0123...cdef', ['0123456789abcdef']],
    ['0123••••cdef', ['0123456789abcdef']],
    ['sk-ab***wxyz', []],
    ['sk-…abcd', []],
    ['sk-proj-********************abcd', []],
    ['AIza...', []],
  ])('masks the partly masked echo %s', (echo, secrets) => {
    expect(redact(`Incorrect API key provided: ${echo}.`, secrets)).toBe('Incorrect API key provided: [redacted].');
    expect(redact(`"${echo}"`, secrets)).toBe('"[redacted]"');
  });

  it.each(['token', 'key', 'sig', 'signature', 'secret', 'auth'])('scrubs the parameter %s of a path', (name) => {
    expect(redact(`at /v1;v=1;${name}=abc123/models;x=2`)).toBe(`at /v1;v=1;${name}=[redacted]/models;x=2`);
  });

  it('leaves lines of text, rules and blanks unchanged', () => {
    const text = 'Name: ____\n------------\n| ---- | ---- |\n## Limits [...]\nno key here [3 lines]';
    expect(redact(text, ['0123456789abcdef', 'Name-is-Limits-here'])).toBe(text);
  });

  it('leaves the brackets around a masked key', () => {
    expect(redact('<not-a-r****key>', ['not-a-real-key'])).toBe('<[redacted]>');
  });

  it.each([
    ['0123****wxyz', 'another end'],
    ['9999****cdef', 'another beginning'],
    ['0***f', 'too little of it'],
    ['****', 'nothing of it'],
  ])('leaves the mask %s, which shows %s', (echo) => {
    expect(redact(echo, ['0123456789abcdef'])).toBe(echo);
  });

  const tricky = fc.string({
    unit: fc.constantFrom(
      'sk-',
      'Bearer ',
      'api_key:',
      '***',
      '…',
      'abc123',
      '[redacted]',
      '"',
      ' ',
      '://',
      '@',
      '?key=',
      '\\n',
    ),
  });
  test.prop([tricky, fc.array(fc.string({ minLength: 6 }))])('changes nothing the second time', (text, secrets) => {
    const once = redact(text, []);
    expect(redact(once, [])).toBe(once);
    expect(() => redact(text, secrets)).not.toThrow();
  });

  test.prop([fc.string(), fc.string({ minLength: 6 }).filter((secret) => !'[redacted]'.includes(secret)), fc.string()])(
    'leaves no given value in the text',
    (before, secret, after) => {
      // Where the mark and its surroundings happen to spell the secret again, there was nothing to hide.
      fc.pre(!`${before}[redacted]${after}`.includes(secret));
      expect(redact(before + secret + after, [secret])).not.toContain(secret);
    },
  );

  const units = [
    ...['sk-', 'sk-a', 'eyJ-', 'eyJa.', 'api_key:', 'api_key: ', '"api_key": "', 'Bearer ', 'Basic A', 'a', '*', '…a'],
    ...['a***', '.', '://a', '?key=', '\\n', '<-', '\n', '\u200B', '----', '####', '[...]', ';token=', '&plus;'],
  ];
  it.each([...units, '\\u0041', '%41', '&#65;', '\\\\', 'xxxx-', '0123456789', '0123456789abcde', '0**'])(
    'takes eight times as long for eight times as much of %j',
    (unit) => {
      const secrets = ['0123456789abcdef', 'another secret', 'a'.repeat(100), `${'0'.repeat(60)}1`];
      const timeOf = (length: number): number => {
        const text = unit.repeat(Math.ceil(length / unit.length));
        const times = Array.from({ length: 7 }, () => {
          const start = process.cpuUsage();
          redact(text, secrets);
          // The time of this process alone: other processes may keep it waiting.
          return process.cpuUsage(start).user / 1_000;
        });
        return Math.min(...times);
      };
      // 64 times would be quadratic; other threads of this process add to the time of either. What takes less than a
      // millisecond is not worth a comparison.
      expect(timeOf(65_536) / Math.max(1, timeOf(8_192))).toBeLessThan(40);
    },
  );
});

describe('secretsOf', () => {
  it.each([
    ['Headers', new Headers({ 'x-api-key': 'k1', 'api-key': 'k2' })],
    ['a record', { 'X-Api-Key': 'k1', 'api-key': ' k2 ' }],
    ['pairs', [['x-api-key', 'k1'] as const, ['api-key', 'k2'] as const]],
    [
      'a map',
      new Map([
        ['x-api-key', 'k1'],
        ['api-key', 'k2'],
      ]),
    ],
  ])('takes header values from %s', (_shape, headers) => {
    expect(secretsOf({ headers }).toSorted()).toEqual(['k1', 'k2']);
  });

  it('leaves ordinary headers out', () => {
    const headers = {
      Accept: 'text/event-stream',
      'Content-Type': 'application/json',
      'User-Agent': 'x/1',
      'anthropic-version': '2023-06-01',
      'X-Stainless-Lang': 'js',
    };
    expect(secretsOf({ headers })).toEqual([]);
  });

  it('reads a scheme only if there is one', () => {
    expect(secretsOf({ headers: { authorization: 'Bearer   abc def' } })).toEqual(['Bearer   abc def', 'abc def']);
    expect(secretsOf({ headers: { authorization: '"Bearer abc"' } })).toEqual(['"Bearer abc"', 'Bearer abc']);
  });

  it('reads the token after a scheme, and both halves of Basic', () => {
    expect(secretsOf({ headers: { Authorization: 'Bearer abc.def' } })).toEqual(['Bearer abc.def', 'abc.def']);
    const token = btoa(String.fromCharCode(...new TextEncoder().encode('user:pässword:1')));
    expect(secretsOf({ headers: { 'proxy-authorization': `Basic ${token}` } })).toEqual([
      `Basic ${token}`,
      token,
      'user:pässword:1',
      'user',
      'pässword:1',
    ]);
    expect(secretsOf({ headers: { authorization: 'Basic ***' } })).toEqual(['Basic ***', '***']);
    expect(secretsOf({ headers: { authorization: `Basic ${btoa('token')}` } })).toContain('token');
  });

  it('reads both halves of an ApiKey, also without the scheme, and the signature of a shared access signature', () => {
    const token = btoa('id-of-key:secret-of-key');
    for (const value of [`ApiKey ${token}`, token])
      expect(secretsOf({ headers: { authorization: value } })).toEqual(
        expect.arrayContaining([token, 'id-of-key', 'secret-of-key']),
      );
    const authorization = 'SharedAccessSignature sr=hub.example&sig=a%2Bb%3Dcdef&se=1700000000&skn=root';
    const secrets = secretsOf({ headers: { authorization } });
    expect(secrets).toEqual(expect.arrayContaining(['a%2Bb%3Dcdef', 'a+b=cdef']));
    expect(redact('hub.example refused a+b=cdef until 1700000000', secrets)).toBe(
      'hub.example refused [redacted] until 1700000000',
    );
  });

  it('reads each cookie too', () => {
    expect(secretsOf({ headers: { cookie: 'a=number-one; b=number-two' } })).toEqual(
      expect.arrayContaining(['a=number-one; b=number-two', 'number-one', 'number-two']),
    );
    expect(secretsOf({ headers: { cookie: 'a=number-one ;b= number-two ' } })).toEqual(
      expect.arrayContaining(['a=number-one ;b= number-two', 'number-one', 'number-two']),
    );
  });

  it.each<[string, string, string, readonly string[]]>([
    [
      'SigV4',
      'authorization',
      'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20261122/us-east-1/bedrock/aws4_request, SignedHeaders=host;x-amz-date, Signature=fe5f80f77d5fa3be',
      ['AKIDEXAMPLE', 'fe5f80f77d5fa3be'],
    ],
    ['a key and its secret', 'authorization', 'Key 0a1b2c3d-id:9f8e7d6c5b4a', ['0a1b2c3d-id', '9f8e7d6c5b4a']],
    ['a token in quotes', 'authorization', 'Token token="correct-horse-battery"', ['correct-horse-battery']],
    [
      'Digest',
      'authorization',
      'Digest username="operator", realm="the realm", nonce="dcd98b7102dd", uri="/long/path", response="6629fae49393"',
      ['operator', 'dcd98b7102dd', '6629fae49393'],
    ],
    ['a list', 'x-api-keys', 'first-key-1, second-key-2', ['first-key-1', 'second-key-2']],
    ['a list under any name', 'x-mine', 'first-1;second-2', ['first-1', 'second-2']],
    ['JSON', 'x-portkey-config', '{"provider":{"api_key":"0123456789ab"}}', ['0123456789ab']],
    ['a token with padding', 'x-auth-token', 'YWJjZGVmZ2g=', ['YWJjZGVmZ2g=']],
    ['a cookie that is encoded', 'cookie', 'session=a%2Fb%2Fc%2Fd', ['a%2Fb%2Fc%2Fd', 'a/b/c/d']],
  ])('reads each part of %s too', (_title, name, value, parts) => {
    const secrets = secretsOf({ headers: { [name]: value } });
    expect(secrets).toEqual(expect.arrayContaining([value, ...parts]));
    for (const word of [
      ...['SignedHeaders', 'host;x-amz-date', 'the realm', '/long/path', 'username', 'api_key', 'provider'],
    ])
      expect(secrets).not.toContain(word);
  });

  it('reads each value of a list, and ignores ordinary words of a header without a credential', () => {
    expect(secretsOf({ headers: { 'x-keys': ['first-key', 'second-key'] } })).toEqual(['first-key', 'second-key']);
    expect(secretsOf({ headers: { 'x-mine': 'production, environment' } })).toEqual(['production, environment']);
  });

  it('reads the identity in a SigV4 query', () => {
    const url = 'https://h/?X-Amz-Credential=AKIDEXAMPLE%2F20261122%2Fus-east-1%2Fbedrock%2Faws4_request';
    expect(secretsOf({ url })).toContain('AKIDEXAMPLE');
  });

  it('reads query values and userinfo, as written and decoded', () => {
    const secrets = secretsOf({ url: 'https://us%40er:p%20w@host/x?key=a%2Fb+c&flag&empty=#frag?not=this' });
    const expected = ['us%40er', 'us@er', 'p%20w', 'p w', 'us@er:p w', 'a%2Fb+c', 'a/b+c', 'a/b c', 'flag'];
    expect(secrets).toEqual(expect.arrayContaining(expected));
    expect(secrets).not.toContain('this');
    expect(secrets).not.toContain('');
  });

  it('ignores ordinary parameters', () => {
    expect(secretsOf({ url: '/openai/deployments/x?api-version=2024-08-01-preview&alt=sse' })).toEqual([]);
  });

  it('accepts malformed and missing values', () => {
    expect(secretsOf({ url: 'https://h/?key=%zz%' })).toEqual(['%zz%']);
    expect(secretsOf({ url: 'https://user@h/' })).toEqual(['user']);
    expect(secretsOf({ url: 'https://:word@h/' })).toEqual([':word', 'word']);
    expect(secretsOf({ url: 'git+ssh2://user@h/' })).toEqual(['user']);
    expect(secretsOf({ url: '/x?to=https://a@b' })).toEqual(['https://a@b']);
    expect(secretsOf({ url: '/x#a?b=c' })).toEqual([]);
    expect(secretsOf({ url: '' })).toEqual([]);
    expect(secretsOf({})).toEqual([]);
    expect(secretsOf({ url: undefined, headers: undefined })).toEqual([]);
    expect(secretsOf(JSON.parse('{"headers":null}'))).toEqual([]);
    expect(secretsOf(JSON.parse('{"headers":[5,null,["x-key","0123456789"]]}'))).toEqual(['0123456789']);
    expect(secretsOf(JSON.parse('{"headers":5}'))).toEqual([]);
    expect(secretsOf({ headers: { 'x-number': 5, 'x-none': undefined } })).toEqual([]);
  });

  it.each([
    ['quota KEY is used up', 'quota [redacted] is used up'],
    ['quota: KEY', 'quota: [redacted]'],
    ['quota\\nKEY', 'quota\\n[redacted]'],
    ['quota%20KEY', 'quota%20[redacted]'],
  ])('finds values with which redact keeps the space in %j', (text, masked) => {
    const key = 'zqk9vxw37lmpp04';
    const secrets = secretsOf({ headers: { authorization: `Bearer ${key}` } });
    expect(redact(text.replace('KEY', key), secrets)).toBe(masked);
  });

  it('reads the parameters of a path', () => {
    expect(secretsOf({ url: 'https://h/v1;token=path-secret/models;v=1;key=other%2Dsecret?a=' })).toEqual([
      'path-secret',
      'other%2Dsecret',
      'other-secret',
    ]);
  });
});

describe('excerpt', () => {
  it('keeps a short text, and the beginning of a longer one', () => {
    expect(excerpt('short', 8)).toBe('short');
    expect(excerpt('0123456789', 8)).toBe('01234567');
    expect(excerpt('a'.repeat(32), 8)).toBe('aaaaaaaa');
    expect(excerpt('a'.repeat(33), 8)).toBe('aaaaaaaa');
  });

  it('scrubs before it cuts, so that no secret is cut in half', () => {
    expect(excerpt('key abcdefghij', 8, ['abcdefghij'])).toBe('key [red');
    expect(excerpt('abcdefghij is it', 12, ['abcdefghij'])).toBe('[redacted] i');
  });

  it('drops at the edge of the searched part as much as half a secret could take', () => {
    const secret = 'S3cr3t-V4lu3-0f-Th1s';
    expect(excerpt(`${secret} ${secret} and more`, 32, [secret])).toBe('[redacted] [redacted] and more');
    expect(excerpt(`${secret} ${secret} and more`, 8, [secret])).toBe('[redacte');
    expect(excerpt(`aa ${secret.repeat(2)} and more`, 8, [secret.repeat(2)])).toBe('aa [reda');
    expect(excerpt(`${'a'.repeat(20)}${secret} and more`, 8, [secret, 'another'])).toBe('aaaaaaaa');
  });
});
