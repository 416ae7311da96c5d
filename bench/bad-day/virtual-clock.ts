/**
 * Virtual time for a whole process: it moves to the next timer when nothing else is left to do, so that an outage of a
 * minute takes a few milliseconds, and two runs with one seed do the same. Client and server run in one process over the
 * loopback, where the kernel hands on at once what was written; so a few idle turns of the event loop show that nothing
 * is on its way.
 */

import { replaceGlobals } from '../virtual-globals.ts';
import { VirtualTime } from '../virtual-time.ts';

const real = { setTimeout, setImmediate };
/** Turns of the event loop without any input that count as idle. */
const IDLE_TURNS = 12;
/** Work in a thread, such as a hash or a file, whose result comes later. */
const IN_THREADS = /^(?:FSReq|GetAddrInfo|HashRequest|RandomBytes|PBKDF2|Cipher|Zlib|Worker)/;

let activity = 0;

class TimeOverSockets extends VirtualTime {
  override in(delayMs: number, happen: () => void): object {
    noteActivity();
    return super.in(delayMs, happen);
  }

  override async idle(): Promise<void> {
    for (let turns = 0, seen = activity; turns < IDLE_TURNS; turns += 1) {
      await new Promise((resolve) => real.setImmediate(resolve));
      const isBusy = process.getActiveResourcesInfo().some((name) => IN_THREADS.test(name));
      if (isBusy) await new Promise((resolve) => real.setTimeout(resolve, 1));
      if (activity === seen && !isBusy) continue;
      seen = activity;
      turns = -1;
    }
  }
}

export const time: VirtualTime = new TimeOverSockets(Date.UTC(2026, 10, 23, 9));

/** Tells the clock that something has happened, so that it waits for what follows. */
export function noteActivity(): void {
  activity += 1;
}

/** Puts the process into virtual time, for good. Call it before the clients are imported. */
export const enterVirtualTime = (): void => void replaceGlobals(time);

/** Runs until `isOver`, or until no timer is left. */
export async function runUntil(isOver: () => boolean): Promise<void> {
  await time.idle();
  await time.runUntil(Infinity, isOver);
}
