/** Returns the pattern of a table whose rows are alternatives. It is made when it is first asked for. */
export function patternOf(readRows: () => readonly string[], flags = ''): () => RegExp {
  let pattern: RegExp | undefined;
  return () => (pattern ??= new RegExp(readRows().join('|'), flags));
}
