import { retriedCall } from '../../call.js';

export const runtime = 'edge';

export async function GET(): Promise<Response> {
  return new Response(await retriedCall());
}
