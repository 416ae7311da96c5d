import { retriedCall } from './call.js';

console.log(`answered: ${await retriedCall()}`);
