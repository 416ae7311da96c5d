/** The exit codes of the commands. A signal ends a command with 128 and its number, as shells expect. */

export const ANSWERED = 0;
/** No answer: given up, or broken off. A later try may succeed. */
export const GIVEN_UP = 1;
/** The command line could not be understood. Nothing was sent. */
export const BAD_ARGUMENTS = 2;
/** A retry cannot help: the key, the quota or the request has to be changed first. */
export const PERMANENT = 3;
/** By a person: ctrl-c, or esc. */
export const CANCELLED = 130;
