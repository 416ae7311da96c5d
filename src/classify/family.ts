/** How the knowledge of one provider family is written down: tables that read like the provider's own documentation. */

import type { FailureType } from '../failure/failure.ts';

/**
 * What a response says, and what it means. Both columns are sources of regular expressions in which case, white space,
 * quotes, `-` and `_` do not matter: what is searched has none of them.
 *
 * `codes`: names, separated by spaces, as they stand in codes, types, reasons and exception names, each matched whole.
 * `name@413` holds at that status only; status 0 is an error inside a success that names no status.
 * `texts`: what the message contains.
 */
export type Row = readonly [type: FailureType, codes: string, texts?: string];

/** One provider family. */
export interface Family {
  readonly provider: string;
  /** Response headers that nobody else sends. */
  readonly headers?: string;
  /** What the messages of nobody else contain, in comparable form and separated by spaces. */
  readonly signature?: string;
  /** What the status and the general vocabulary hide: asked first. Texts count at a status that fits their type. */
  readonly decisive?: readonly Row[];
  /** Texts that count at every status. */
  readonly anyStatus?: readonly Row[];
  /** The general vocabulary, asked when nothing decisive was found. Its texts count where the status is no refusal. */
  readonly usual?: readonly Row[];
  /** Names that stand on so many different failures that only a status which agrees with them makes them count. */
  readonly vague?: readonly Row[];
}
