/** What the command tells a script. A signal ends it with 128 and the signal's number, as shells expect. */

export const ANSWERED = 0;
/** No answer: given up, or broken off. Another time may be better. */
export const GIVEN_UP = 1;
/** The command line could not be understood. Nothing was sent. */
export const BAD_ARGUMENTS = 2;
/** Asking again cannot help: something has to be done first. */
export const PERMANENT = 3;
/** By a person: ctrl-c, or esc. */
export const CANCELLED = 130;
