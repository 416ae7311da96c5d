/** The type of a provider's tables, which read like the provider's own documentation. */

import type { FailureType } from '../failure/failure.ts';
import type { Words } from '../hints/body.ts';

/** What only the bodies of single providers say. `keepDetails` fills it. */
export interface Details {
  /** The provider of the envelope, if it is certain. */
  provider: string | undefined;
  isGoogle: boolean;
  /** Google's quotas: `quotaId:…;quotaValue:…;`. */
  quotas: string;
  /** The body's own statement on retrying. */
  retryable: boolean | undefined;
}

/** The evidence in a failed response. */
export interface Evidence extends Readonly<Details> {
  /** The HTTP status; inside a success, the status in the body, or 0. */
  readonly status: number;
  readonly isInBand: boolean;
  /** The final status (such as 401) that the body of a 5xx quotes as its cause, or 0. */
  readonly refusal: number;
  /** All names in normalised form (`normalise`), most specific first, each with the status: `|name@429|name@429|`. */
  readonly names: string;
  /** The most specific name, unchanged. */
  readonly code: string | undefined;
  /** The message, unchanged. */
  readonly message: string;
  /** The message in normalised form, which is searched for wording. */
  readonly text: string;
  /** Whether the body is a web page, not the answer of an API. */
  readonly isPage: boolean;
  /** The sources of a wait: members of the body, and its texts. */
  readonly words: Words;
}

/** The classification of a failed response before `x-should-retry` is applied. */
export interface Reading {
  readonly type: FailureType;
  /** Set if this response differs from the rule of the type. */
  readonly retryable?: boolean | undefined;
  /** Set if the advice of the type does not help. */
  readonly action?: string | undefined;
}

/**
 * A pattern in a response, and its type. Both columns are sources of regular expressions that ignore case, white space,
 * quotes, `-` and `_`: the searched text contains none of them.
 *
 * `texts`: parts of the message.
 * `codes`: parts of names as in codes, types, reasons and exceptions, separated by spaces. With `@` the whole name must match:
 * `name@413` with that status only (0: an error inside a success without a status), `name@` with any.
 *
 * All tables are searched together, so a name or wording of several providers is in one of them only.
 */
export type Row = readonly [type: FailureType, texts: string, codes?: string];

/** The tables of one provider. `npm run pages` joins them all to `generated-rulebook.ts`. */
export interface Family {
  /**
   * Response headers that identify it, separated by spaces. If several providers match, the first by its name counts:
   * Azure sends OpenAI's headers as well.
   */
  readonly headers?: string;
  /** Parts of messages that no other provider has, in normalised form and separated by spaces. */
  readonly signature?: string;
  /**
   * Searched first, because the status or the general vocabulary would hide these. Texts need a status that fits their
   * type.
   */
  readonly decisive?: readonly Row[];
  /** Texts that count with every status. */
  readonly anyStatus?: readonly Row[];
  /** Texts that count with a 5xx: what is at fault is in the request or in a configuration, so it stays. */
  readonly permanent?: readonly Row[];
  /** General words of a refusal. They count with a 5xx that has no word of `PASSING` in `common.ts` beside them. */
  readonly general?: readonly Row[];
  /** The general vocabulary, searched if nothing decisive was found. Its texts count unless the status is a refusal. */
  readonly usual?: readonly Row[];
  /** Names that are used for many different failures, so they count only with a status that agrees. */
  readonly vague?: readonly Row[];
  /** Wording that is clear without a response, in a thrown error or a line of a log. */
  readonly alone?: readonly Row[];
}

/** Patterns of names or of texts, by the type that they show. */
export type Sources = Readonly<Partial<Record<FailureType, string>>>;

/** Rows of patterns, and the type that they show. */
export type TypedRows = readonly [type: FailureType, rows: readonly string[]];
