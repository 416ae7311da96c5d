import {
  Body,
  Controller,
  Inject,
  Injectable,
  type MessageEvent,
  Module,
  Post,
  Query,
  Res,
  ServiceUnavailableException,
  Sse,
} from '@nestjs/common';
import type { Response } from 'express';
import OpenAI from 'openai';
import { createRetryFetch, describeFailure, type RetryEvent, type RetryFetch } from 'retry-transport';
import { Observable, type Subscriber } from 'rxjs';

/** The token of the one fetch of the program; a gate only works if all requests share it. */
export const RETRY_FETCH = Symbol('RETRY_FETCH');

@Injectable()
export class Model {
  readonly #fetch: RetryFetch;

  constructor(@Inject(RETRY_FETCH) fetch: RetryFetch) {
    this.#fetch = fetch;
  }

  /** A client for one request, whose retries call `onEvent`. */
  client(onEvent: (event: RetryEvent) => void): OpenAI {
    return new OpenAI({ fetch: this.#fetch.with({ onEvent }), maxRetries: 0 });
  }
}

@Controller()
export class ChatController {
  readonly #model: Model;

  constructor(@Inject(Model) model: Model) {
    this.#model = model;
  }

  /** The whole answer; or a 503 whose `Retry-After` says when it is worth asking again. */
  @Post('answer')
  async answer(@Body() body: { question: string }, @Res({ passthrough: true }) response: Response) {
    const openai = this.#model.client((event) => {
      if (event.type !== 'failed' || event.possibleAt === undefined) return;
      response.setHeader('Retry-After', Math.ceil((event.possibleAt - Date.now()) / 1_000));
    });
    try {
      const messages = [{ role: 'user' as const, content: body.question }];
      const completion = await openai.chat.completions.create({ model: 'gpt-5', messages });
      return { answer: completion.choices[0]?.message.content };
    } catch (error) {
      throw new ServiceUnavailableException('The model is busy.', { cause: error });
    }
  }

  /** Server-sent events: each wait as it begins, then the answer, piece by piece. */
  @Sse('chat')
  chat(@Query('question') question: string): Observable<MessageEvent> {
    return new Observable((browser) => {
      const abort = new AbortController();
      void this.#stream(question, browser, abort.signal);
      return () => abort.abort(); // the person has left, so the wait ends too
    });
  }

  async #stream(question: string, browser: Subscriber<MessageEvent>, signal: AbortSignal): Promise<void> {
    const openai = this.#model.client((event) => {
      if (event.type !== 'retry') return;
      const data = { headline: describeFailure(event.failure).headline, nextAttemptAt: event.nextAttemptAt };
      browser.next({ type: 'waiting', data });
    });
    try {
      const messages = [{ role: 'user' as const, content: question }];
      const stream = await openai.chat.completions.create({ model: 'gpt-5', stream: true, messages }, { signal });
      for await (const chunk of stream) browser.next({ type: 'text', data: { text: chunk.choices[0]?.delta.content } });
      browser.next({ type: 'end', data: {} }); // otherwise an EventSource connects again, and asks again
      browser.complete();
    } catch (error) {
      browser.error(error);
    }
  }
}

@Module({
  controllers: [ChatController],
  providers: [
    Model,
    {
      provide: RETRY_FETCH,
      // A wait that would end after 25 s is not begun: a person waits for this server.
      useFactory: () =>
        createRetryFetch({
          maxRetries: 6,
          maxElapsedMs: 25_000,
          answers: { idleTimeoutMs: 180_000, outputTimeoutMs: 300_000 },
        }),
    },
  ],
})
export class ChatModule {}
