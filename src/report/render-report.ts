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
const MOST_ATTEMPTS = 10;
const TITLE = '1;31';
const HEADING = '1';

/**
 * Renders a report, without a line break at its end and without control characters.
 *
 * @throws TypeError if an option is invalid; the message names it
 */
export function renderReport(report: ErrorReport, options: RenderOptions = {}): string {
  const checks = { width: number({ integer: true, min: MIN_WIDTH }), color: flag };
  const { width = 80, color = false } = checkOptions('', options, checks);
  const inner = width - 4;
  const paint = (text: string, style: string): string => (color ? `\u001B[${style}m${text}\u001B[0m` : text);
  const row = (text: string, shown: string = text): string => `│ ${shown}${' '.repeat(inner - widthOf(text))} │`;
  const sections = sectionsOf(report).map(({ title, items }) => [
    row(''),
    ...wrap(title.toUpperCase(), inner).map((text) => row(text, paint(text, HEADING))),
    ...linesOf(items, inner - INDENT).map((text) => row(' '.repeat(INDENT) + text)),
  ]);
  const { rootCause, resolvedAt } = report;
  const name = `${rootCause.type.replaceAll('_', ' ')}${resolvedAt === undefined ? '' : ' (resolved)'}`;
  const [title = ''] = wrap(plainText(name).toUpperCase(), width - 6);
  return [
    `╭─ ${paint(title, TITLE)} ${'─'.repeat(width - 5 - widthOf(title))}╮`,
    ...sections.flat().slice(1),
    `╰${'─'.repeat(width - 2)}╯`,
  ].join('\n');
}

/** `label`: before the first line of the text, with the spaces between them. */
interface Item {
  readonly label?: string;
  readonly text: string;
}

interface Section {
  readonly title: string;
  readonly items: readonly Item[];
}

/** The sections of a report; one without items is left out. */
function sectionsOf(report: ErrorReport): readonly Section[] {
  const { rootCause, recovery, history, resolvedAt } = report;
  const { provider, status, code, requestId, message } = rootCause;
  const sections: readonly Section[] = [
    {
      title: 'What happened',
      items: [
        { text: report.headline },
        { text: report.explanation },
        ...(report.explanation.includes(message.trim()) ? [] : [quote(message)]),
      ],
    },
    { title: 'Required actions', items: recovery.actions.map((text, index) => ({ label: `${index + 1}. `, text })) },
    {
      title: 'What was tried',
      items: [
        { text: `${recovery.tried.charAt(0).toUpperCase()}${recovery.tried.slice(1)}.` },
        ...(history.length > 1 ? history.slice(-MOST_ATTEMPTS).map(attemptFact) : []),
      ],
    },
    {
      title: 'Where',
      items: [
        fact('request', `${report.method} ${report.url}`),
        fact('failed at', instantText(report.at)),
        ...(recovery.possibleAt === undefined ? [] : [fact('possible again', instantText(recovery.possibleAt))]),
        ...(resolvedAt === undefined ? [] : [fact('resolved at', instantText(resolvedAt))]),
        fact('provider', provider),
        fact('status', status),
        fact('code', code),
        fact('request id', requestId),
        fact('call id', report.callId),
        fact('report id', report.id),
        ...Object.entries(report.context).map(([name, value]) => fact(name, value)),
      ],
    },
    { title: 'Answer', items: [quote(report.body ?? '')] },
  ];
  return sections
    .map(({ title, items }) => ({ title, items: items.filter(({ text }) => text.trim() !== '') }))
    .filter(({ items }) => items.length > 0);
}

function attemptFact({ attempt, failure, durationMs, delayMs, because, target }: AttemptRecord): Item {
  const status = failure?.status === undefined ? '' : ` (${failure.status})`;
  const parts = [
    failure === null ? 'success' : failure.type + status,
    `took ${formatDelay(durationMs)}`,
    ...(target === undefined ? [] : [`at ${target}`]),
    ...(delayMs === null
      ? []
      : [`then ${formatDelay(delayMs)} ${because === null ? '' : WAIT_REASONS[because]}`.trimEnd()]),
  ];
  return fact(`attempt ${attempt}`, parts.join(', '));
}

function instantText(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

const quote = (text: string): Item => ({ label: '“', text: text.trim() === '' ? '' : `${text.trim()}”` });
const fact = (name: string, text: string | number = ''): Item => ({
  label: `${plainText(name)}  `,
  text: String(text),
});

function linesOf(items: readonly Item[], width: number): readonly string[] {
  const widest = Math.max(...items.map(({ label = '' }) => widthOf(label)));
  // A long name must leave room for the value.
  const labelWidth = Math.min(widest, Math.floor(width / 3) + 2);
  return items.flatMap(({ label, text }) => {
    const own = label === undefined ? 0 : labelWidth;
    const labels = wrap(label?.trimEnd() ?? '', Math.max(2, own - 2));
    const values = wrap(plainText(text), width - own);
    return Array.from({ length: Math.max(labels.length, values.length) }, (_, index) =>
      (pad(labels[index] ?? '', own) + (values[index] ?? '')).trimEnd(),
    );
  });
}
