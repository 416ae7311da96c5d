/**
 * Which limiter gets which load. The matrix, with its seeds, was fixed before the gate was first run on it: a limiter, a
 * load or a seed is only added, and none is taken out because of its result.
 */

import { existsSync } from 'node:fs';
import { DAEMONS } from './daemons.ts';
import type { Subject } from './limiter.ts';
import { type Load, LOADS } from './loads.ts';
import { LONG_WINDOWS, PROVIDERS, WRONG_HEADERS } from './providers.ts';

export const SEEDS: readonly number[] = [1, 2, 3];
const SECONDS = 150;
/** What programs of their own get, because their seconds are real ones. */
const REAL_SECONDS = 30;

const PACKAGES = new URL('../../../tools/limiters/', import.meta.url);
const FILES = ['express', 'flexible', 'fastify', 'nest', 'upstash', 'flexible-redis'];

/** All limiters that this machine can run. `say` hears what is left out. */
export async function loadSubjects(say: (line: string) => void): Promise<readonly Subject[]> {
  return [...PROVIDERS, ...LONG_WINDOWS, ...WRONG_HEADERS, ...(await loadPackages(say)), ...DAEMONS].filter(
    (subject) => {
      const missing = 'missing' in subject ? subject.missing() : undefined;
      if (missing !== undefined) say(`${missing} is not installed: ${subject.name} is left out.`);
      return missing === undefined;
    },
  );
}

async function loadPackages(say: (line: string) => void): Promise<readonly Subject[]> {
  if (!existsSync(new URL('../node_modules/express-rate-limit', PACKAGES))) {
    say('The packages of tools/limiters are not installed (npm ci --prefix tools): they are left out.');
    return [];
  }
  const modules: { readonly subjects: readonly Subject[] }[] = await Promise.all(
    FILES.map((file) => import(new URL(`subjects/${file}.ts`, PACKAGES).href)),
  );
  return modules.flatMap(({ subjects }) => subjects);
}

export function loadsFor({ judged = 'usual', perModel = false, perTenant = true }: Subject): readonly Load[] {
  switch (judged) {
    case 'long':
      return LOADS.filter(({ name }) => name === '0.5' || name === '0.9');
    case 'wrong':
      return LOADS.filter(({ name }) => name === '0.5' || name === '0.9' || name === '1.2');
    case 'usual':
      return LOADS.filter(
        ({ name, compared }) => (compared !== 'models' || perModel) && (name !== 'three tenants' || perTenant),
      );
  }
}

export const secondsFor = ({ clock, seconds }: Subject): number =>
  seconds ?? (clock === 'real' ? REAL_SECONDS : SECONDS);
