/** Makes a failing case smaller while it still fails, so that a person can read it. */

import { type CallPlan, type Case, SIMPLEST, type Step } from './case.ts';

/** What may be left out or made simpler, one thing at a time, the largest first. */
function* smaller(plan: Case): Generator<Case> {
  const { gate: _gate, ...ungated } = plan;
  const { chain: _chain, ...unchained } = plan;
  if (plan.gate !== undefined) yield ungated;
  if (plan.chain !== undefined) yield unchained;
  if (plan.controller)
    yield { ...plan, controller: false, actions: plan.actions.filter(({ deed }) => deed === 'abort') };
  if (plan.calls.length > 1) {
    for (let index = 0; index < plan.calls.length; index += 1) {
      const [first, ...rest] = plan.calls.filter((_, other) => other !== index);
      if (first === undefined) continue;
      const actions = plan.actions
        .filter(({ call }) => call !== index)
        .map((action) => (action.call > index ? { ...action, call: action.call - 1 } : action));
      yield { ...plan, calls: [first, ...rest], actions };
    }
  }
  for (const action of plan.actions) yield { ...plan, actions: plan.actions.filter((other) => other !== action) };
  for (const name of Object.keys(plan.options)) {
    yield { ...plan, options: Object.fromEntries(Object.entries(plan.options).filter(([other]) => other !== name)) };
  }
  const { jump: _jump, ...steady } = plan;
  if (plan.clock !== 'moving') yield { ...steady, clock: 'moving' };
  if (plan.deafSleep) yield { ...plan, deafSleep: false };
  if (plan.random !== 0.5) yield { ...plan, random: 0.5 };
  for (const [index, call] of plan.calls.entries()) {
    for (const simpler of smallerCalls(call)) {
      const [first, ...rest] = plan.calls.map((other, place) => (place === index ? simpler : other));
      if (first !== undefined) yield { ...plan, calls: [first, ...rest] };
    }
  }
}

function* smallerCalls(call: CallPlan): Generator<CallPlan> {
  if (call.startMs !== 0) yield { ...call, startMs: 0 };
  if (call.after !== 'success') yield { ...call, after: 'success' };
  for (const [index, step] of call.steps.entries()) {
    const [first, ...rest] = call.steps.filter((_, other) => other !== index);
    if (first !== undefined) yield { ...call, steps: [first, ...rest] };
    for (const simpler of smallerSteps(step)) {
      const [one, ...others] = call.steps.map((other, place) => (place === index ? simpler : other));
      if (one !== undefined) yield { ...call, steps: [one, ...others] };
    }
  }
}

function* smallerSteps(step: Step): Generator<Step> {
  if (step.afterMs !== 0) yield { ...step, afterMs: 0 };
  if (step.deaf === true) yield { ...step, deaf: false };
  if ('hint' in step) {
    const { hint: _, ...without } = step;
    yield without;
  }
  if (step.kind === 'status' && step.body !== 'whole') yield { ...step, body: 'whole' };
  if (JSON.stringify(step) !== JSON.stringify(SIMPLEST)) yield SIMPLEST;
}

/** The smallest case that was found for which `fails` still holds. */
export async function shrink(plan: Case, fails: (plan: Case) => Promise<boolean>): Promise<Case> {
  let smallest = plan;
  for (let tries = 0; tries < 400;) {
    let isSmaller = false;
    for (const next of smaller(smallest)) {
      tries += 1;
      if (tries > 400) break;
      if (!(await fails(next))) continue;
      smallest = next;
      isSmaller = true;
      break;
    }
    if (!isSmaller) break;
  }
  return smallest;
}
