import { classify, describeFailure } from 'retry-transport';

const failure = classify({
  status: 429,
  headers: { 'content-type': 'application/json' },
  body: '{"error":{"code":"insufficient_quota","message":"You exceeded your current quota."}}',
});
if (failure !== null) {
  console.log(failure.type, failure.retryable);
  console.log(describeFailure(failure).actions);
}
