/**
 * Renders a report for a person, as a box for a terminal. Text from a server cannot move the cursor or leave the box. For
 * a program a report is plain data, to be written as JSON.
 */

import { WAIT_REASONS } from '../failure/reasons.ts';
import { type AttemptRecord, formatDelay } from '../index.ts';
import { checkOptions, flag, number } from '../runtime/expect.ts';
import type { ErrorReport } from './error-report.ts';
import { pad, plainText, widthOf, wrap } from './plain-text.ts';

/** The options of `renderReport`. */
export interface RenderOptions {
  /** Columns of the terminal, from 24; no line is longer. @default 80 */
  readonly width?: number | undefined;
  /** Whether the terminal shows colours. @default false */
  readonly color?: boolean | undefined;
}

/** In a narrower box most words would be broken. */
const MIN_WIDTH = 24;
const INDENT = 2;

/**
 * Renders a report, without a line break at its end and without control characters.
 *
 * @throws TypeError if an option is invalid; the message names it
 */
export function renderReport(report: ErrorReport, options: RenderOptions = {}): string {
  const checks = { width: number({ integer: true, min: MIN_WIDTH }), color: flag };
  const { width = 80, color = false } = checkOptions('', options, checks);
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

/** `name`: of a fact. `mark`: before a step, and before words of the server. */
export interface Item {
  readonly name?: string;
  readonly mark?: string;
  readonly text: string;
}

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
        quote(report.explanation.includes(rootCause.message.trim()) ? '' : rootCause.message),
      ],
    },
    { title: 'Required actions', items: recovery.actions.map((text, index) => ({ mark: `${index + 1}. `, text })) },
    {
      title: 'What was tried',
      items: [
        prose(`${recovery.tried.charAt(0).toUpperCase()}${recovery.tried.slice(1)}.`),
        ...(history.length > 1 ? history.slice(-MOST_ATTEMPTS).map(attemptFact) : []),
      ],
    },
    {
      title: 'Where',
      items: [...requestFacts(report), ...Object.entries(report.context).map(([name, value]) => fact(name, value))],
    },
    { title: 'Answer', items: [quote(report.body ?? '')] },
  ];
  return sections
    .map(({ title, items }) => ({ title, items: items.filter(({ text }) => text.trim() !== '') }))
    .filter(({ items }) => items.length > 0);
}

export function titleOf({ rootCause: { type }, resolvedAt }: ErrorReport): string {
  return `${type.replaceAll('_', ' ')}${resolvedAt === undefined ? '' : ' (resolved)'}`;
}

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
    ...(rootCause.requestId === undefined ? [] : [fact('request id', rootCause.requestId)]),
    fact('call id', report.callId),
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
      : [`then ${formatDelay(delayMs)} ${because === null ? '' : WAIT_REASONS[because]}`.trimEnd()]),
  ];
  return fact(`attempt ${attempt}`, parts.join(', '));
}

const prose = (text: string): Item => ({ text });
const quote = (text: string): Item => ({ mark: '“', text: text.trim() === '' ? '' : `${text.trim()}”` });
const fact = (name: string, text: string): Item => ({ name, text });

type Style = 'title' | 'heading' | 'plain';

interface Line {
  readonly text: string;
  readonly style: Style;
}

const SGR: Readonly<Record<Exclude<Style, 'plain'>, string>> = { title: '1;31', heading: '1' };

function sectionLines({ title, items }: Section, width: number): readonly Line[] {
  const names = items.map(({ name = '' }) => widthOf(plainText(name)));
  // A long name must leave room for the value.
  const nameWidth = Math.max(2, Math.min(Math.max(...names), Math.floor((width - INDENT) / 3)));
  const linesOf = ({ name, mark = '', text }: Item): readonly string[] => {
    const labels = name === undefined ? [mark] : wrap(plainText(name), nameWidth);
    const labelWidth = name === undefined ? mark.length : nameWidth + 2;
    const values = wrap(plainText(text), width - INDENT - labelWidth);
    return Array.from({ length: Math.max(labels.length, values.length) }, (_, index) =>
      (pad(labels[index] ?? '', labelWidth) + (values[index] ?? '')).trimEnd(),
    );
  };
  return [
    ...wrap(title.toUpperCase(), width).map((text): Line => ({ text, style: 'heading' })),
    ...items.flatMap(linesOf).map((text): Line => ({ text: ' '.repeat(INDENT) + text, style: 'plain' })),
  ];
}
