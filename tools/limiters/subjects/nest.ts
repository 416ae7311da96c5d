/** @nestjs/throttler: one limit, several named limits, and one that blocks for longer than its window. */

// oxlint-disable-next-line import/no-unassigned-import -- Nest needs it to be loaded first
import 'reflect-metadata';
import { Controller, Module, Post } from '@nestjs/common';
import { APP_GUARD, NestFactory } from '@nestjs/core';
import { ThrottlerGuard, ThrottlerModule, type ThrottlerOptions } from '@nestjs/throttler';
import type { KnownLimit, SimulatedSubject } from '../../../bench/limiters/real/limiter.ts';
import { limiterOf } from '../inject.ts';

const throttled = (name: string, limit: KnownLimit, throttlers: ThrottlerOptions[]): SimulatedSubject => ({
  name: `@nestjs/throttler, ${name}`,
  limit,
  clock: 'simulated',
  open: async () => {
    class Messages {
      answer(): object {
        return {};
      }
    }
    // Decorators as calls, because Node runs TypeScript only where its types can be erased.
    const answer = Object.getOwnPropertyDescriptor(Messages.prototype, 'answer');
    if (answer !== undefined) Post('v1/messages')(Messages.prototype, 'answer', answer);
    Controller()(Messages);
    // oxlint-disable-next-line typescript/no-extraneous-class -- a module of Nest is a class
    class Server {}
    Module({
      imports: [
        ThrottlerModule.forRoot({ throttlers, getTracker: (request) => String(request['headers']['x-tenant']) }),
      ],
      controllers: [Messages],
      providers: [{ provide: APP_GUARD, useClass: ThrottlerGuard }],
    })(Server);
    const app = await NestFactory.create(Server, { logger: false });
    await app.init();
    return limiterOf(app.getHttpAdapter().getInstance(), () => app.close());
  },
});

export const subjects: readonly SimulatedSubject[] = [
  throttled('80 in 10 s', { requests: 80, perMs: 10_000 }, [{ limit: 80, ttl: 10_000 }]),
  throttled('10 in 1 s and 80 in 10 s', { requests: 80, perMs: 10_000 }, [
    { name: 'short', limit: 10, ttl: 1_000 },
    { name: 'long', limit: 80, ttl: 10_000 },
  ]),
  throttled('40 in 5 s, then blocked for 12 s', { requests: 40, perMs: 5_000 }, [
    { limit: 40, ttl: 5_000, blockDuration: 12_000 },
  ]),
];
