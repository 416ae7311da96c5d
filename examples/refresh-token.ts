import { createRetryFetch, type Fetch } from 'retry-transport';

let token = 'expired-token';

// A 401 is not retried, because the same request would fail again. With a new token it is a different request. Send that
// below the retries, once for each attempt.
const authorized: Fetch = async (input, init) => {
  // Some SDKs pass a `Request`, whose body can be sent once.
  const request = new Request(input, init);
  const first = await globalThis.fetch(withToken(request.clone()));
  if (first.status !== 401) return first;
  void first.body?.cancel();
  token = await refresh();
  return globalThis.fetch(withToken(request));
};

const fetch = createRetryFetch(authorized);
const response = await fetch('https://api.example.com/v1/chat', { method: 'POST', body: '{"message":"Hello"}' });
console.log(response.status);

function withToken(request: Request): Request {
  request.headers.set('authorization', `Bearer ${token}`);
  return request;
}

async function refresh(): Promise<string> {
  const answer = await globalThis.fetch('https://auth.example.com/token', { method: 'POST' });
  const { access_token } = (await answer.json()) as { access_token: string };
  return access_token;
}
