import { expect, test } from 'vitest';
import { recording } from '../../mocks/look-up.ts';
import { recordings } from '../../mocks/recordings.ts';

test('a name gives its recording', () => {
  expect(recording('nginx-502-html')).toBe(recordings['nginx-502-html']);
});

test.each([
  ['anthropic-529-overlaoded', /'anthropic-529-overlaoded'\. Did you mean 'anthropic-529-overloaded-details-null', /],
  ['groq_429_tpm', /Did you mean 'groq-429-tpm', 'groq-429-tpd-minutes', /],
  ['Ollama 404', /Did you mean 'ollama-404-model', /],
  ['toString', /'toString'\. There are \d+; Object\.keys\(recordings\) lists them\.$/],
])('%s is refused, and similar names are listed', (name, message) => {
  // @ts-expect-error: what a program in JavaScript may ask for
  expect(() => recording(name)).toThrow(message);
});

test('at most five similar names are listed', () => {
  // @ts-expect-error: there is no such name
  expect(() => recording('openai')).toThrow(/(?:'openai-[a-z0-9-]+'(?:, )?){5}\?$/);
});
