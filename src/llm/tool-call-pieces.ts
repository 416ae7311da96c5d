/** Assembles tool calls, which arrive in pieces as the model writes them. */

import type { ToolCall } from './completion.ts';

/** What one event adds to a tool call. */
export interface ToolCallPiece {
  /** The call it belongs to; undefined: the last one, or a new one if the piece has a new id. */
  readonly index?: number | undefined;
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  readonly arguments?: string | undefined;
  /** The arguments if no piece of them follows. */
  readonly defaultArguments?: string | undefined;
}

interface Draft {
  readonly index: number | undefined;
  id: string;
  name: string;
  arguments: string;
  readonly defaultArguments: string;
}

export class ToolCallPieces {
  #drafts: Draft[] = [];

  add(piece: ToolCallPiece): void {
    const { id = '', name = '', arguments: more = '' } = piece;
    const draft = this.#draftFor(piece.index, id) ?? this.#begin(piece);
    draft.id ||= id;
    draft.name ||= name;
    draft.arguments += more;
  }

  /** Takes the complete calls out: those of one index, or all. */
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

  /** Gemini numbers all calls 0, and some servers number none: another id is another call, whatever its number. */
  #draftFor(index: number | undefined, id: string): Draft | undefined {
    const last = this.#drafts.findLast((draft) => index === undefined || draft.index === index);
    return last === undefined || id === '' || last.id === '' || last.id === id ? last : undefined;
  }

  #begin({ index, defaultArguments = '{}' }: ToolCallPiece): Draft {
    const draft: Draft = { index, id: '', name: '', arguments: '', defaultArguments };
    this.#drafts.push(draft);
    return draft;
  }
}
