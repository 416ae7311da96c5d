import { type OperationContext, presets, RetrySession } from 'retry-transport';
import { type AutoRetryEndEvent, autoRetryEvents, type AutoRetryStartEvent } from 'retry-transport/events';

export interface Message {
  readonly stopReason: 'stop' | 'toolUse' | 'error' | 'aborted';
  readonly errorMessage?: string;
}
export interface Agent {
  /** One call of the model, and the tools that it asks for. A failure is a message too. */
  readonly ask: (signal: AbortSignal) => Promise<Message>;
  /** Takes a failed message out of the context; the saved history keeps it. */
  readonly dropLast: () => void;
}
const errorIn = ({ stopReason, errorMessage }: Message): unknown => stopReason === 'error' && new Error(errorMessage);

/** Waits of 2, 4 and 8 seconds, counted anew at each answer. `enabled`, `isRetrying` and `giveUp()` are inherited. */
export class AgentSession extends RetrySession {
  readonly #agent: Agent;
  constructor(agent: Agent, emit: (event: AutoRetryStartEvent | AutoRetryEndEvent) => void) {
    super({ ...presets.agent, onEvent: autoRetryEvents(emit) });
    this.#agent = agent;
  }
  /** Resolves when the whole chain of retries has ended. The settings are read for each prompt. */
  prompt(settings: { readonly maxRetries?: number; readonly baseDelayMs?: number } = {}): Promise<Message> {
    const turn = async ({ attempt, signal, progress }: OperationContext): Promise<Message> => {
      if (attempt > 1) this.#agent.dropLast();
      for (;;) {
        const message = await this.#agent.ask(signal);
        if (message.stopReason !== 'error') progress();
        if (message.stopReason !== 'toolUse') return message;
      }
    };
    return this.run(turn, { ...settings, errorIn });
  }
  /** For Esc: ends a wait, and the turn with its failed message; without a wait it aborts the running turn. */
  abort(): void {
    return this.state.status === 'waiting' ? this.giveUp() : this.cancel();
  }
}
