import { createRetryFetch, type Fetch } from 'retry-transport';

let token = 'expired-token';
let refreshing: Promise<string> | undefined;

// A 401 is not retried, because the same request would fail again. With a new token it is a different request. So send
// it in the inner fetch, once for each attempt.
const authorized: Fetch = async (input, init) => {
  // Some SDKs pass a `Request`, whose body can be sent once.
  const request = new Request(input, init);
  const used = token;
  const first = await globalThis.fetch(withToken(request.clone(), used));
  if (first.status !== 401) return first;
  void first.body?.cancel();
  return globalThis.fetch(withToken(request, await tokenAfter(used)));
};

export const fetch = createRetryFetch({ fetch: authorized });
const response = await fetch('https://api.example.com/v1/chat', { method: 'POST', body: '{"message":"Hello"}' });
console.log(response.status);

/** One refresh for all calls that were refused: a second refresh would end the token of the first. */
async function tokenAfter(refused: string): Promise<string> {
  if (token !== refused) return token;
  refreshing ??= refresh().finally(() => (refreshing = undefined));
  return refreshing;
}

async function refresh(): Promise<string> {
  const answer = await globalThis.fetch('https://auth.example.com/token', { method: 'POST' });
  const { access_token } = (await answer.json()) as { access_token: string };
  token = access_token;
  return token;
}

function withToken(request: Request, bearer: string): Request {
  request.headers.set('authorization', `Bearer ${bearer}`);
  return request;
}
