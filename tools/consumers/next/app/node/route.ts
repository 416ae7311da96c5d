import { retriedCall } from '../../call.js';

export const dynamic = 'force-dynamic';

export async function GET(): Promise<Response> {
  return new Response(await retriedCall());
}
