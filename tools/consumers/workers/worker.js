import { retriedCall } from './call.js';

export default {
  async fetch() {
    return new Response(await retriedCall());
  },
};
