/** Makes a failing case smaller while it still fails, so that a person can read it. */

import { type CallPlan, type Case, SIMPLEST, type Step } from './case.ts';

/** What may be left out or made simpler, one thing at a time, the largest first. */
function* smaller(plan: Case): Generator<Case> {
  const { gate, chain, ...alone } = plan;
  if (gate !== undefined) yield { ...alone, ...(chain && { chain }) };
  if (chain !== undefined) yield { ...alone, ...(gate && { gate }) };
  for (const [calls, index] of shorter(plan.calls)) {
    const actions = plan.actions.filter(({ call }) => call !== index);
    yield {
      ...plan,
      calls,
      actions: actions.map((each) => ({ ...each, call: each.call - Number(each.call > index) })),
    };
  }
  for (const action of plan.actions) yield { ...plan, actions: plan.actions.filter((other) => other !== action) };
  for (const name of Object.keys(plan.options)) {
    const options = Object.fromEntries(Object.entries(plan.options).filter(([other]) => other !== name));
    yield { ...plan, options };
  }
  for (const [index, call] of plan.calls.entries())
    for (const steps of smallerSteps(call.steps)) {
      const [first, ...rest] = plan.calls.map((other, place): CallPlan =>
        place === index ? { ...call, steps } : other,
      );
      if (first !== undefined) yield { ...plan, calls: [first, ...rest] };
    }
}

function* smallerSteps(steps: CallPlan['steps']): Generator<CallPlan['steps']> {
  for (const [fewer] of shorter(steps)) yield fewer;
  for (const [index, step] of steps.entries()) {
    const [first, ...rest] = steps.map((other, place): Step => (place === index ? SIMPLEST : other));
    if (first !== undefined && step !== SIMPLEST) yield [first, ...rest];
  }
}

/** The list without one of its items, and the place of that; never empty. */
function* shorter<T>(list: readonly [T, ...T[]]): Generator<readonly [list: [T, ...T[]], left: number]> {
  for (const index of list.keys()) {
    const [first, ...rest] = list.filter((_, other) => other !== index);
    if (first !== undefined) yield [[first, ...rest], index];
  }
}

/** The smallest case that was found for which `fails` still holds. */
export async function shrink(plan: Case, fails: (plan: Case) => Promise<boolean>): Promise<Case> {
  let smallest = plan;
  let tries = 0;
  for (let isSmaller = true; isSmaller;) {
    isSmaller = false;
    for (const next of smaller(smallest)) {
      if ((tries += 1) > 400 || !(await fails(next))) continue;
      smallest = next;
      isSmaller = true;
      break;
    }
  }
  return smallest;
}
