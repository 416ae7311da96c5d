import { createRetryFetch, type Fetch } from 'retry-transport';

let token = 'expired-token';

// A 401 is not retried, because the same request would fail again. With a new token it is a different request. Send that
// below the retries, once for each attempt.
const authorized: Fetch = async (input, init) => {
  const first = await globalThis.fetch(input, withToken(init));
  if (first.status !== 401) return first;
  void first.body?.cancel();
  token = await refresh();
  return globalThis.fetch(input, withToken(init));
};

const fetch = createRetryFetch(authorized);
const response = await fetch('https://api.example.com/v1/chat', { method: 'POST', body: '{"message":"Hello"}' });
console.log(response.status);

function withToken(init: RequestInit | undefined): RequestInit {
  const headers = new Headers(init?.headers);
  headers.set('authorization', `Bearer ${token}`);
  return { ...init, headers };
}

async function refresh(): Promise<string> {
  const answer = await globalThis.fetch('https://auth.example.com/token', { method: 'POST' });
  const { access_token } = (await answer.json()) as { access_token: string };
  return access_token;
}
