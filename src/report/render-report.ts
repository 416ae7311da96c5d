/**
 * Renders a report for a person: as a box for a terminal, or as Markdown for an issue or a chat. Both show the same
 * sections in the same order. Text from a server cannot move the cursor, leave the box, act as markup or HTML, or
 * mention a user.
 */

import { WAIT_REASONS } from '../failure/reasons.ts';
import { oneOf } from '../runtime/expect.ts';
import { type AttemptRecord, formatDelay, STOP_REASONS } from '../index.ts';
import type { ErrorReport } from './error-report.ts';
import { pad, plainText, widthOf, wrap } from './plain-text.ts';

/** The options of `renderReport`. */
export interface RenderOptions {
  readonly format: 'terminal' | 'markdown';
  /** Columns of the terminal, from 24; no line is longer. @default 80 */
  readonly width?: number | undefined;
  /** Whether the terminal shows colours. @default false */
  readonly color?: boolean | undefined;
}

/** In a narrower box most words would be broken. */
const MIN_WIDTH = 24;

/**
 * Renders a report, without a line break at its end and without control characters.
 *
 * @throws TypeError if `format` is unknown, or `width` below 24
 */
export function renderReport(report: ErrorReport, { format, width = 80, color = false }: RenderOptions): string {
  oneOf(['terminal', 'markdown'])('format', format);
  if (!Number.isInteger(width) || width < MIN_WIDTH) {
    throw new TypeError(`Expected \`width\` to be an integer ≥ ${MIN_WIDTH}, got ${String(width)}.`);
  }
  return format === 'markdown' ? renderMarkdown(report) : renderTerminal(report, width, color);
}

/**
 * `prose`: our own sentences. `step`: something to do, numbered. `fact`: a name and a value. `quote`: words of the
 * server.
 */
export type Item =
  | { readonly kind: 'prose' | 'step' | 'quote'; readonly text: string }
  | { readonly kind: 'fact'; readonly name: string; readonly value: string };

export interface Section {
  readonly title: string;
  readonly items: readonly Item[];
}

const MOST_ATTEMPTS = 10;

/** The sections of a report; one without items is left out. */
export function sectionsOf(report: ErrorReport): readonly Section[] {
  const { rootCause, recovery, history } = report;
  const sections: readonly Section[] = [
    {
      title: 'What happened',
      items: [
        prose(report.headline),
        prose(report.explanation),
        { kind: 'quote', text: report.explanation.includes(rootCause.message.trim()) ? '' : rootCause.message },
      ],
    },
    { title: 'Required actions', items: recovery.actions.map((text): Item => ({ kind: 'step', text })) },
    {
      title: 'What was tried',
      items: [
        prose(`The call ${recovery.tried}.`),
        prose(STOP_REASONS[recovery.because]),
        ...(history.length > 1 ? history.slice(-MOST_ATTEMPTS).map(attemptFact) : []),
      ],
    },
    {
      title: 'Where',
      items: [...requestFacts(report), ...Object.entries(report.context).map(([name, value]) => fact(name, value))],
    },
    { title: 'Answer', items: report.body === undefined ? [] : [{ kind: 'quote', text: report.body }] },
  ];
  return sections.map(withoutEmpty).filter(({ items }) => items.length > 0);
}

/** What a report is about, in a few words. */
export function titleOf({ rootCause: { type }, resolvedAt }: ErrorReport): string {
  return `${type.replaceAll('_', ' ')}${resolvedAt === undefined ? '' : ' (resolved)'}`;
}

/** A point in time, to the second. */
export function instantText(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

function requestFacts({ rootCause, recovery, ...report }: ErrorReport): readonly Item[] {
  return [
    fact('request', `${report.method} ${report.url}`),
    fact('failed at', instantText(report.at)),
    ...(recovery.possibleAt === undefined ? [] : [fact('possible again', instantText(recovery.possibleAt))]),
    ...(report.resolvedAt === undefined ? [] : [fact('resolved at', instantText(report.resolvedAt))]),
    ...(rootCause.provider === undefined ? [] : [fact('provider', rootCause.provider)]),
    ...(rootCause.status === undefined ? [] : [fact('status', String(rootCause.status))]),
    ...(rootCause.code === undefined ? [] : [fact('code', rootCause.code)]),
    fact('request id', report.requestId),
    fact('report id', report.id),
  ];
}

function attemptFact({ attempt, failure, durationMs, delayMs, because, target }: AttemptRecord): Item {
  const parts = [
    failure === null ? 'success' : `${failure.type}${failure.status === undefined ? '' : ` (${failure.status})`}`,
    `took ${formatDelay(durationMs)}`,
    ...(target === undefined ? [] : [`at ${target}`]),
    ...(delayMs === null
      ? []
      : [`then ${formatDelay(delayMs)}${because === null ? '' : ` ${WAIT_REASONS[because][1]}`}`]),
  ];
  return fact(`attempt ${attempt}`, parts.join(', '));
}

const prose = (text: string): Item => ({ kind: 'prose', text });
const fact = (name: string, value: string): Item => ({ kind: 'fact', name, value });

function withoutEmpty({ title, items }: Section): Section {
  return { title, items: items.filter((item) => (item.kind === 'fact' ? item.value : item.text).trim() !== '') };
}

type Style = 'title' | 'heading' | 'plain';

interface Line {
  readonly text: string;
  readonly style: Style;
}

const SGR: Readonly<Record<Exclude<Style, 'plain'>, string>> = { title: '1;31', heading: '1' };
const INDENT = 2;

/** `width`: of the whole box. */
function renderTerminal(report: ErrorReport, width: number, color: boolean): string {
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
  // A long name must leave room for the value.
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

function renderMarkdown(report: ErrorReport): string {
  const title = titleOf(report);
  return [
    `## ${escapeMarkdown(title.charAt(0).toUpperCase() + title.slice(1))}`,
    ...sectionsOf(report).map(sectionMarkdown),
  ].join('\n\n');
}

function sectionMarkdown({ title, items }: Section): string {
  let step = 0;
  const blocks = items.map((item): { readonly text: string; readonly isList: boolean } => {
    if (item.kind === 'step') step += 1;
    return { text: itemMarkdown(item, step), isList: item.kind === 'step' || item.kind === 'fact' };
  });
  const text = blocks.map((block, index) => {
    const previous = blocks[index - 1];
    // An empty line would break a list in two, and without one a paragraph would join the list.
    return previous === undefined ? block.text : `${block.isList && previous.isList ? '\n' : '\n\n'}${block.text}`;
  });
  return `### ${escapeMarkdown(title)}\n\n${text.join('')}`;
}

function itemMarkdown(item: Item, step: number): string {
  if (item.kind === 'step') return `${step}. ${escapeMarkdown(item.text)}`;
  if (item.kind === 'fact') return `- ${escapeMarkdown(item.name)}: ${inlineCode(item.value)}`;
  return item.kind === 'quote' ? fencedCode(item.text) : escapeMarkdown(item.text);
}

/** One line of plain text with all characters escaped that Markdown, HTML, automatic links and mentions use. */
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
  // A space separates a backtick at the edge from the fence; Markdown removes it again.
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
