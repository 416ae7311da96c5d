import { describe, expect, it } from 'vitest';
import { escapeMarkdown, renderMarkdown } from '../../src/report/render-markdown.ts';
import { report } from './sample-events.ts';
import { sample } from './sample-report.ts';

describe('escaped Markdown', () => {
  it.each([
    ['plain words, and 1.5 of them', 'plain words, and 1.5 of them'],
    ['<script>alert(1)</script>', '\\<script\\>alert\\(1\\)\\</script\\>'],
    ['![x](https://evil.example)', '\\!\\[x\\]\\(https\\://evil.example\\)'],
    ['*bold* _it_ ~no~ `code` a|b', '\\*bold\\* \\_it\\_ \\~no\\~ \\`code\\` a\\|b'],
    ['# heading', '\\# heading'],
    ['- item', '\\- item'],
    ['+ item', '\\+ item'],
    ['1. item', '1\\. item'],
    ['12) item', '12\\) item'],
    ['> quote', '\\> quote'],
    ['see www.evil.example', 'see www\\.evil.example'],
    ['&lt;b&gt;', '\\&lt;b\\&gt;'],
    ['@everyone', '\\@<!-- -->everyone'],
    ['fixes #12', 'fixes \\#<!-- -->12'],
    ['two\nlines\u001B[1m', 'two lines'],
  ])('of %j is %j', (text, expected) => {
    expect(escapeMarkdown(text)).toBe(expected);
  });
});

describe('a report in Markdown', () => {
  it('has headings, numbered actions and a list of facts', () => {
    expect(renderMarkdown({ ...sample, body: '{"error":1}' })).toBe(
      `
## Quota exhausted

### What happened

Quota exhausted \\(HTTP 429\\)

The account has nothing left to spend.

\`\`\`text
You exceeded your current quota, please check your plan and billing details.
\`\`\`

### Required actions

1. Add credits to the account.
2. Switch to another provider.

### What was tried

The call failed after 1 attempt \\(1 × quota\\_exhausted\\).

A retry cannot help.

### Where

- request: \`POST https://api.example.com/v1/messages\`
- failed at: \`2027-01-15 08:00:00 UTC\`
- provider: \`openai\`
- status: \`429\`
- code: \`insufficient_quota\`
- request id: \`request-1\`
- report id: \`report-1\`
- plan: \`p-7\`

### Answer

\`\`\`text
{"error":1}
\`\`\``.trim(),
    );
  });

  it('separates a list from the paragraph before it', () => {
    const text = renderMarkdown(report('r'));
    expect(text).toMatch(/No retries are left\.\n\n- attempt 1: `.*`\n- attempt 2: `/);
  });

  it('lets no text out of its code', () => {
    const text = renderMarkdown({ ...sample, body: '``` a ```` b', context: { a: '`x`', b: 'y``z' } });
    expect(text).toContain('`````text\n``` a ```` b\n`````');
    expect(text).toContain('- a: `` `x` ``');
    expect(text).toContain('- b: ```y``z```');
  });
});
