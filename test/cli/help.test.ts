import { describe, expect, it } from 'vitest';
import { fitHelp } from '../../src/cli/help.ts';

const HELP = `Sends a request as curl does, and again while
asking again can help.

Usage: retry-transport request <url> [options]

  -X, --method <name>   GET or POST; POST when
                        there is --data
      inner             described below it

Exit codes:
  0    answered
  130  cancelled; another signal gives 128 and its number

Examples:
  retry-transport request https://api.example.com/v1/messages \\
    -H "authorization: Bearer $SOME_KEY_OF_YOURS" -d @request.json
  retry-transport demo
`;

describe('fitHelp', () => {
  it('returns a text that fits unchanged', () => {
    expect(fitHelp(HELP)).toBe(HELP);
    expect(fitHelp(HELP, 80)).toBe(HELP);
  });

  it('breaks between words, puts descriptions below their options, and keeps examples that can be copied', () => {
    expect(fitHelp(HELP, 40)).toBe(`Sends a request as curl does, and again
while asking again can help.

Usage: retry-transport request <url>
  [options]

  -X, --method <name>
      GET or POST; POST when there is
      --data
      inner
          described below it

Exit codes:
  0    answered
  130  cancelled; another signal gives
       128 and its number

Examples:
  retry-transport request \\
    https://api.example.com/v1/messages \\
    -H \\
      "authorization: Bearer $SOME_KEY_OF_YOURS" \\
      -d @request.json
  retry-transport demo
`);
  });

  it('keeps a word whole that is longer than the line', () => {
    expect(fitHelp('a https://api.example.com/v1 b', 20)).toBe('a\nhttps://api.example.com/v1\nb');
  });
});
