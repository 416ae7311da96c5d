/** ky is a client; POST is not among the methods that it retries by default. */

import ky from 'ky';
import type { Subject } from '../../../bench/peers/subject.ts';
import { installedVersion } from '../../../bench/peers/subjects.ts';

const methods: ['post'] = ['post'];

export const subject: Subject = {
  name: 'ky',
  version: installedVersion('ky'),
  retries: true,
  wrap(inner, { retries, waitMs }) {
    // Its time limit is a timer for each attempt, which the others do not have.
    const client = ky.create({ fetch: inner, timeout: false, retry: { limit: retries, methods, delay: () => waitMs } });
    return (url, init) => client(url, init);
  },
  byDefault(inner) {
    const client = ky.create({ fetch: inner, retry: { limit: 2, methods } });
    return (url, init) => client(url, init);
  },
  bundle: `export { default } from 'ky';`,
  entry: 'ky',
};
