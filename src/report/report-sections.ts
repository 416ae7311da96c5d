/** What a rendered report says and in which order, whatever it is rendered to. */

import { type AttemptRecord, formatDelay, STOP_REASONS, type WaitReason } from '../index.ts';
import type { ErrorReport } from './error-report.ts';

/**
 * `prose`: sentences of ours, which may quote. `step`: something to do, numbered. `fact`: a name and a value, which may be anybody's.
 * `quote`: what the server said, to be shown as it is and believed by nobody.
 */
export type Item =
  | { readonly kind: 'prose' | 'step' | 'quote'; readonly text: string }
  | { readonly kind: 'fact'; readonly name: string; readonly value: string };

export interface Section {
  readonly title: string;
  readonly items: readonly Item[];
}

const MOST_ATTEMPTS = 10;
const WAITED: Readonly<Record<WaitReason, string>> = {
  hint: 'as the server asked',
  backoff: 'backing off',
  fallback: 'for the fallback',
  cooldown: 'for the cooldown',
};

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
    ...(delayMs === null ? [] : [`then ${formatDelay(delayMs)}${because === null ? '' : ` ${WAITED[because]}`}`]),
  ];
  return fact(`attempt ${attempt}`, parts.join(', '));
}

const prose = (text: string): Item => ({ kind: 'prose', text });
const fact = (name: string, value: string): Item => ({ kind: 'fact', name, value });

function withoutEmpty({ title, items }: Section): Section {
  return { title, items: items.filter((item) => (item.kind === 'fact' ? item.value : item.text).trim() !== '') };
}
