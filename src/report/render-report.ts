/** A report for a person: what happened and what has to be done. */

import type { ErrorReport } from './error-report.ts';
import { renderMarkdown } from './render-markdown.ts';
import { renderTerminal } from './render-terminal.ts';

export interface RenderOptions {
  readonly format: 'terminal' | 'markdown';
  /** Columns of the terminal, from 24; no line is longer. @default 80 */
  readonly width?: number | undefined;
  /** Whether the terminal shows colours. @default false */
  readonly color?: boolean | undefined;
}

/** The narrowest box in which words are still words. */
const MIN_WIDTH = 24;

/**
 * Renders a report, without a line break at its end. Control characters in it, wherever they came from, are taken out.
 *
 * @throws TypeError for a width below 24
 */
export function renderReport(report: ErrorReport, { format, width = 80, color = false }: RenderOptions): string {
  if (!Number.isInteger(width) || width < MIN_WIDTH) {
    throw new TypeError(`Expected \`width\` to be an integer ≥ ${MIN_WIDTH}, got ${String(width)}.`);
  }
  return format === 'markdown' ? renderMarkdown(report) : renderTerminal(report, width, color);
}
