import { describe, expect, it } from 'vitest';
import { fitHelp } from '../../src/cli/help.ts';

const HELP = `Sends a request as curl does, and again while asking again can help.

  -X, --method <name>   GET or POST; POST when
                        there is --data

Examples:
  retry-transport request https://api.example.com/v1/messages --preset patient
`;

describe('fitHelp', () => {
  it('leaves a text alone that fits', () => {
    expect(fitHelp(HELP)).toBe(HELP);
    expect(fitHelp(HELP, 80)).toBe(HELP);
  });

  it('puts a description below its option where there is no room beside it, and breaks between words', () => {
    expect(fitHelp(HELP, 40)).toBe(`Sends a request as curl does, and again
while asking again can help.

  -X, --method <name>
      GET or POST; POST when
      there is --data

Examples:
  retry-transport request
    https://api.example.com/v1/messages
    --preset patient
`);
  });

  it('keeps a word whole that is longer than the line', () => {
    expect(fitHelp('a https://api.example.com/v1 b', 20)).toBe('a\nhttps://api.example.com/v1\nb');
  });
});
