/**
 * A report as Markdown, for an issue or a chat. Sentences are escaped; what is nobody's sentence stands in code, where
 * neither markup nor HTML nor mentions count.
 */

import type { ErrorReport } from './error-report.ts';
import { plainText } from './plain-text.ts';
import { type Item, type Section, sectionsOf, titleOf } from './report-sections.ts';

export function renderMarkdown(report: ErrorReport): string {
  const title = titleOf(report);
  return [
    `## ${escapeMarkdown(title.charAt(0).toUpperCase() + title.slice(1))}`,
    ...sectionsOf(report).map(sectionText),
  ].join('\n\n');
}

function sectionText({ title, items }: Section): string {
  let step = 0;
  const blocks = items.map((item): { readonly text: string; readonly isList: boolean } => {
    if (item.kind === 'step') step += 1;
    return { text: itemText(item, step), isList: item.kind === 'step' || item.kind === 'fact' };
  });
  const text = blocks.map((block, index) => {
    const previous = blocks[index - 1];
    // A list is only a list when its lines are together, and a paragraph only one when they are not.
    return previous === undefined ? block.text : `${block.isList && previous.isList ? '\n' : '\n\n'}${block.text}`;
  });
  return `### ${escapeMarkdown(title)}\n\n${text.join('')}`;
}

function itemText(item: Item, step: number): string {
  if (item.kind === 'step') return `${step}. ${escapeMarkdown(item.text)}`;
  if (item.kind === 'fact') return `- ${escapeMarkdown(item.name)}: ${inlineCode(item.value)}`;
  return item.kind === 'quote' ? fencedCode(item.text) : escapeMarkdown(item.text);
}

/** One line of plain text, with everything that Markdown, HTML, automatic links and mentions are made of escaped. */
export function escapeMarkdown(text: string): string {
  return (
    plainText(text)
      .replace(/[\\`*_{}[\]<>()#|~&:@$!^=]/g, '\\$&')
      // Mentions and references are found after escapes have been resolved; an empty comment keeps them apart.
      .replace(/[@#](?=[\w-])/g, '$&<!-- -->')
      .replace(/\bwww\./gi, (match) => `${match.slice(0, -1)}\\.`)
      .replace(/^(?=[-+])/, '\\')
      .replace(/^(\d+)([.)])/, '$1\\$2')
  );
}

function inlineCode(text: string): string {
  const plain = plainText(text);
  const fence = '`'.repeat(longestRun(plain) + 1);
  // A space keeps a backtick at the edge apart from the fence; Markdown takes it away again.
  const space = plain.startsWith('`') || plain.endsWith('`') ? ' ' : '';
  return `${fence}${space}${plain}${space}${fence}`;
}

function fencedCode(text: string): string {
  const plain = plainText(text);
  const fence = '`'.repeat(Math.max(3, longestRun(plain) + 1));
  return `${fence}text\n${plain}\n${fence}`;
}

function longestRun(text: string): number {
  return Math.max(0, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length));
}
