/** How the knowledge of one provider is written down: tables that read like the provider's own documentation. */

import type { FailureType } from '../failure/failure.ts';
import type { Words } from '../hints/body.ts';

/** What a failed response says about itself. */
export interface Evidence {
  /** The HTTP status; inside a success, the status that the body names instead, or 0. */
  readonly status: number;
  readonly isInBand: boolean;
  /** All names in comparable form (`normalise`), most specific first, each with the status: `|name@429|name@429|`. */
  readonly names: string;
  /** The most specific name, as it was written. */
  readonly code: string | undefined;
  /** The message, as it was written. */
  readonly message: string;
  /** The message in comparable form, which is what wording is looked for in. */
  readonly text: string;
  /** Google's quotas: `quotaId:…;quotaValue:…;`. */
  readonly quotas: string;
  /** What the body itself says about asking again. */
  readonly retryable: boolean | undefined;
  /** A page, not an API's answer. */
  readonly isPage: boolean;
  readonly isGoogle: boolean;
  /** Whose envelope it is, where that is certain. */
  readonly provider: string | undefined;
  /** What names a wait: fields of the body, and its texts. */
  readonly words: Words;
}

/** What a failed response is, before the server's own word on retrying. */
export interface Reading {
  readonly type: FailureType;
  /** Set where the answer differs from the rule of the type. */
  readonly retryable?: boolean | undefined;
  /** Set where the advice of the type does not help. */
  readonly action?: string | undefined;
}

/**
 * What a response says, and what it means. Both columns are sources of regular expressions in which case, white space,
 * quotes, `-` and `_` do not matter: what is searched has none of them.
 *
 * `codes`: names, separated by spaces, as they stand in codes, types, reasons and exception names, each matched whole.
 * `name@413` holds at that status only; status 0 is an error inside a success that names no status.
 * `texts`: what the message contains.
 *
 * All tables are asked together, so a name or wording of several providers stands in one of them only.
 */
export type Row = readonly [type: FailureType, codes: string, texts?: string];

/** One provider. */
export interface Family {
  readonly provider: string;
  /** Response headers that tell it, separated by spaces; of several providers the first in `PROVIDERS` is meant. */
  readonly headers?: string;
  /** What the messages of no other provider contain, in comparable form and separated by spaces. */
  readonly signature?: string;
  /** What the status and the general vocabulary hide: asked first. Texts count at a status that fits their type. */
  readonly decisive?: readonly Row[];
  /** Texts that count at every status. */
  readonly anyStatus?: readonly Row[];
  /** The general vocabulary, asked when nothing decisive was found. Its texts count where the status is no refusal. */
  readonly usual?: readonly Row[];
  /** Names that stand on so many different failures that only a status which agrees with them makes them count. */
  readonly vague?: readonly Row[];
  /** Wording that says enough without any response around it, in a thrown error or a line of a log. */
  readonly alone?: readonly Row[];
  /**
   * What no table can say. Asked after the decisive names, `named` being what they say; `waitMs` is the wait that the
   * server asked for.
   */
  readonly rule?: (evidence: Evidence, waitMs: number, named: FailureType | undefined) => Reading | undefined;
}
