/** Characters that change the direction of reading: a text with them is shown as other words than it has. */

const MARKS = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]+/g;

/** The text without them, as it may be shown. */
export function withoutDirectionMarks(text: string): string {
  return text.replace(MARKS, '');
}
