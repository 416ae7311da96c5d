/**
 * The exit codes of the commands. A command that a signal ends returns 128 plus the number of the signal, as usual in
 * shells.
 */

export const ANSWERED = 0;
/** No answer, or only a part of one. A later try may succeed. */
export const GIVEN_UP = 1;
/** The command line is invalid. Nothing was sent. */
export const BAD_ARGUMENTS = 2;
/** A retry cannot help: the key, the quota or the request must be changed first. */
export const PERMANENT = 3;
/** A person cancelled the command with ctrl-c or esc. */
export const CANCELLED = 130;
