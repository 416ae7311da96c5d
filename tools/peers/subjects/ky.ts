/** ky is a client; by default it does not retry POST. */

import ky from 'ky';
import type { Subject } from '../../../bench/peers/subject.ts';
import { installedVersion } from '../../../bench/peers/subjects.ts';

const methods: ['post'] = ['post'];

export const subject: Subject = {
  name: 'ky',
  version: installedVersion('ky'),
  retries: true,
  wrap(inner, { retries, waitMs }) {
    // ky sets a timer for the time limit of each attempt, which the others do not have.
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
