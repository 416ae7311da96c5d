/** Counts the requests that reach the API when a program makes one call, with and without retries of the SDK. */

import { startApiServer } from './api-server.ts';
import { type Client, clients } from './clients/index.ts';
import { type Arrangement, type Count, countRequests } from './count.ts';
import { startFastTime } from './fast-time.ts';
import { type Situation, situations } from './situations.ts';

export interface Row {
  readonly client: Client;
  readonly counts: Readonly<Record<Arrangement, Count>>;
}

export interface Table {
  readonly situation: Situation;
  readonly rows: readonly Row[];
}

/** Makes every call of every table. */
export async function measure(): Promise<readonly Table[]> {
  const time = startFastTime();
  const server = await startApiServer(time.now);
  try {
    const tables: Table[] = [];
    for (const situation of situations) {
      const rows: Row[] = [];
      for (const client of clients) {
        const count = (arrangement: Arrangement) => countRequests(server, time, client, situation, arrangement);
        rows.push({
          client,
          counts: {
            alone: await count('alone'),
            both: await count('both'),
            'both-marked': await count('both-marked'),
            ours: await count('ours'),
          },
        });
      }
      tables.push({ situation, rows });
    }
    return tables;
  } finally {
    time.end();
    await server.close();
  }
}
