/** Assembles tool calls, which arrive in pieces as the model writes them. */

import type { ToolCall } from './completion.ts';
import { parseJson } from '../runtime/values.ts';

/** What one event adds to a tool call. */
export interface ToolCallPiece {
  /** The call it belongs to; undefined: the last one, or a new one if the piece has a new id. */
  readonly index?: number | undefined;
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  readonly arguments?: string | undefined;
  /** The arguments, unless pieces of them follow. */
  readonly defaultArguments?: string | undefined;
}

interface Draft {
  readonly index: number | undefined;
  id: string;
  name: string;
  arguments: string;
  readonly defaultArguments: string;
}

/** Joins the pieces in which a stream brings the calls of tools. */
export class ToolCallPieces {
  #drafts: Draft[] = [];

  add(piece: ToolCallPiece): void {
    const { id = '', name = '', arguments: more = '' } = piece;
    const draft = this.#draftFor(piece) ?? this.#begin(piece);
    draft.id ||= id;
    draft.name ||= name;
    draft.arguments += more;
  }

  /** Removes and returns the complete calls: those of one index, or all. */
  take(index?: number): readonly ToolCall[] {
    const isTaken = (draft: Draft): boolean => index === undefined || draft.index === index;
    const taken = this.#drafts.filter(isTaken);
    this.#drafts = this.#drafts.filter((draft) => !isTaken(draft));
    return taken.map((draft) => ({
      id: draft.id,
      name: draft.name,
      arguments: draft.arguments || draft.defaultArguments,
    }));
  }

  /** Gemini numbers all calls 0, and some servers number none: a new id starts a new call, whatever its number. */
  #draftFor(piece: ToolCallPiece): Draft | undefined {
    const { index, id = '' } = piece;
    const last = this.#drafts.filter((draft) => index === undefined || draft.index === index).at(-1);
    if (last === undefined) return undefined;
    const isAnother = id !== '' && last.id !== '' ? last.id !== id : startsAnother(piece, last);
    return isAnother ? undefined : last;
  }

  #begin({ index, defaultArguments = '{}' }: ToolCallPiece): Draft {
    const draft: Draft = { index, id: '', name: '', arguments: '', defaultArguments };
    this.#drafts.push(draft);
    return draft;
  }
}

/** Without ids, a new name starts a new call, and so does the same name with arguments after complete ones. */
function startsAnother({ name = '', arguments: more = '' }: ToolCallPiece, last: Draft): boolean {
  if (name === '' || last.name === '') return false;
  return name !== last.name || (more !== '' && last.arguments.endsWith('}') && parseJson(last.arguments) !== undefined);
}
