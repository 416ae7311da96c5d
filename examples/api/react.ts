import { createElement } from 'react';
import { RetryController } from 'retry-transport';
import { type RetryCountdown, type RetryState, useRetryCountdown, useRetryState } from 'retry-transport/react';

const controller = new RetryController();

// #region what a call is doing
/** "waiting", "sending", or how the last call ended. */
export function Status() {
  const state: RetryState = useRetryState(controller);
  return createElement('p', null, state.status === 'ended' ? state.outcome.type : state.status);
}
// #endregion

// #region a line for the wait
/** "overloaded (HTTP 503): retry 1 of 3 in 20s", and nothing while no call waits. */
export function Line() {
  const wait: RetryCountdown | null = useRetryCountdown(controller);
  return wait === null ? null : createElement('p', { role: 'timer' }, wait.text);
}
// #endregion

// #region outside of a component
console.log(controller.state.status); // → idle
// #endregion
