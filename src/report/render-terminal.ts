/** A report as a box for a terminal. No character that came from a server can move the cursor or leave the box. */

import type { ErrorReport } from './error-report.ts';
import { pad, plainText, widthOf, wrap } from './plain-text.ts';
import { type Item, type Section, sectionsOf, titleOf } from './report-sections.ts';

type Style = 'title' | 'heading' | 'plain';

interface Line {
  readonly text: string;
  readonly style: Style;
}

const SGR: Readonly<Record<Exclude<Style, 'plain'>, string>> = { title: '1;31', heading: '1' };
const INDENT = 2;

/** `width`: of the whole box, from 24. */
export function renderTerminal(report: ErrorReport, width: number, color: boolean): string {
  const inner = width - 4;
  const lines = sectionsOf(report).flatMap((section, index) => [
    ...(index === 0 ? [] : [{ text: '', style: 'plain' } as const]),
    ...sectionLines(section, inner),
  ]);
  const paint = (text: string, style: Style): string =>
    color && style !== 'plain' ? `\u001B[${SGR[style]}m${text}\u001B[0m` : text;
  const [title = ''] = wrap(plainText(titleOf(report)).toUpperCase(), width - 6);
  const rule = '─'.repeat(width - 5 - widthOf(title));
  return [
    `╭─ ${paint(title, 'title')} ${rule}╮`,
    ...lines.map(({ text, style }) => `│ ${paint(text, style)}${' '.repeat(inner - widthOf(text))} │`),
    `╰${'─'.repeat(width - 2)}╯`,
  ].join('\n');
}

function sectionLines({ title, items }: Section, width: number): readonly Line[] {
  const names = items.flatMap((item) => (item.kind === 'fact' ? [widthOf(plainText(item.name))] : []));
  // A long name must not push the values out of the box.
  const nameWidth = Math.min(Math.max(0, ...names), Math.floor((width - INDENT) / 3));
  let step = 0;
  const itemLines = (item: Item): readonly string[] => {
    if (item.kind === 'step') step += 1;
    const label = item.kind === 'step' ? `${step}. ` : item.kind === 'quote' ? '“' : '';
    if (item.kind === 'fact') return factLines(item.name, item.value, nameWidth, width - INDENT);
    const text = plainText(item.text) + (item.kind === 'quote' ? '”' : '');
    return wrap(text, width - INDENT - label.length).map(
      (line, index) => (index === 0 ? label : ' '.repeat(label.length)) + line,
    );
  };
  return [
    ...wrap(title.toUpperCase(), width).map((text): Line => ({ text, style: 'heading' })),
    ...items.flatMap(itemLines).map((text): Line => ({ text: ' '.repeat(INDENT) + text, style: 'plain' })),
  ];
}

function factLines(name: string, value: string, nameWidth: number, width: number): readonly string[] {
  const names = wrap(plainText(name), Math.max(2, nameWidth));
  const values = wrap(plainText(value), width - Math.max(2, nameWidth) - 2);
  return Array.from({ length: Math.max(names.length, values.length) }, (_, index) =>
    `${pad(names[index] ?? '', Math.max(2, nameWidth))}  ${values[index] ?? ''}`.trimEnd(),
  );
}
