/**
 * Words in which people describe a problem, beside those of the pages. The search reads them, no page shows them. A key is the
 * beginning of the anchor of a section in docs/problems.md, or of a path with its anchor. Words such as `noretry` stand for the
 * phrases of tokenizeQuery.
 */
export const WORDS: Readonly<Record<string, string>> = {
  '429-too-many-requests':
    'rate limiting, RateLimitError, throttling, ThrottlingException, exceeded, limit hit, back off, backing off, wait a moment, slow down, calm down, free tier, trial key',
  'retry-after-is-ignored':
    'Retry-After header, reset header, x-ratelimit-reset, retryDelay, honor, honour, respect, obey, suggested wait, too soon, retry in',
  'it-retries-immediately':
    'instantly, at once, 0s, zero seconds, without a pause, no wait between attempts, too fast, too quickly, hammering, exponential backoff, jitter, fixed interval, burst of retries',
  '429-for-more-than-a-minute':
    'gives up, giving up, MaxRetryError, RetryError, failed after 3 attempts, last error, all attempts failed, maximum retries, tenacity',
  'how-do-i-set-or-configure':
    'maximum attempts, tries, num_retries, maxRetries, parameter, argument, not passed, setting ignored, not respected, has no effect, retry config, configurable, customizable, interval',
  'it-retries-for-ever':
    'looping, never stops, never gives up, keeps retrying, stuck retrying, again and again, attempt 1 of 10, retry connection, reconnecting, minutes before it fails',
  'it-retries-what-it-should-not':
    'dontretry, non-retryable, not retryable, deterministic, permanent, client errors, useless retries, wasteful, same failure again, fail fast, blind, classify, transient, retryable, which errors',
  'it-does-not-retry-at-all':
    'noretry, recovering, retry calls, retries, retry requests, retry support, throws, auto-retry, resilience, resilient, robust, reliability, unstable provider, flaky, transient, temporary, recover from errors, crashes the run, whole pipeline stops, halts, one failure aborts everything, lost work, manual retry, resend, regenerate',
  '429-on-my-first-request':
    'unexpected, wrong, false, inappropriate, unfair, even though, despite, although, credits left, enough credits, new account, new key, paid plan, Plus, Pro user, subscription, no reason',
  '529-overloaded_error':
    'overload, is down, outage, unavailable, UNAVAILABLE, ServiceUnavailableError, no capacity, try again later, saturated, degraded, under load, heavy load, status page',
  'you-exceeded-your-current-quota':
    'credit, credits, no credits, out of credits, not enough credits, buy, purchase, top up, recharge, insufficient balance, funds, can only afford, spending limit, hard limit, paid account, plan, subscription, trial expired',
  'usage-limit-reached':
    'hit your limit, usage limits, lower limits, Pro, Max, Plus, premium requests, allowance, chat limit, message cap, 5-hour, weekly, monthly, hourly, reset time, resets at, wait until, tomorrow, next day, locked out',
  'my-provider-allows':
    'throttle my requests, delay between requests, pause between calls, pace, slow down, stay under, below, global rate limit, limiter, RPD, request too large for TPM, limit 30000 requested, tier, cooldown, token bucket',
  'too-many-concurrent-requests':
    'concurrency, parallelism, threads, asyncio, gather, semaphore, Promise.all, worker pool, at the same time, max concurrency, in parallel, serialize, one by one',
  '500-prompts-from-a-csv-file':
    'many files, rows, dataset, loop over, spreadsheet, evaluation, benchmark run, ingestion, indexing, checkpoint, resume, bulk import, Batch API, batches, jobs',
  'several-processes':
    'instances, distributed, multi-instance, Kubernetes, replicas, cluster, team, colleagues, shared key, servers',
  '401-403-invalid-api-key':
    'unauthorized, forbidden, AuthenticationError, PermissionDenied, wrong key, incorrect key, missing key, key not working, access denied, not authorized, region, country, organization, suspended, banned, token expired, session expired, refresh token, OAuth, logged out, captcha',
  context_length_exceeded:
    'context window, context size, overflow, input too large, request too large, payload too large, 413, reduce the length, input tokens, compaction, compact, summarize, conversation too long, history too long, token limit, prompt tokens',
  'bad-request-400':
    'BadRequestError, InvalidRequestError, invalid_request_error, 422, 405, unprocessable, unknown model, unsupported model, deprecated, does not exist, no endpoints found, invalid argument, wrong parameter, temperature, endpoint not supported, api_base, base_url, baseURL, hardcoded URL',
  'a-signature-or-a-token': 'signed, HMAC, AWS, nonce, timestamp, header for each attempt',
  econnreset:
    'APIConnectionError, ConnectionError, network error, NetworkError, failed to fetch, unreachable, instance offline, server not running, reboot, not reachable, cannot connect, could not connect, ENOTFOUND, EAI_AGAIN, DNS, ETIMEDOUT, EPIPE, connection aborted, connection closed, connection lost, RemoteDisconnected, RemoteProtocolError, incomplete chunked read, peer closed, server disconnected, refused, localhost, ERR_CONNECTION, re-establish, connectivity',
  'a-certificate-tls':
    'client certificate, ERR_CERT, CERT_DATE_INVALID, SSLError, self-signed, UNABLE_TO_VERIFY, mTLS, NODE_EXTRA_CA_CERTS, http proxy, https proxy, SOCKS, proxy support, behind a proxy, corporate network, Zscaler, antivirus, blocked by firewall, region blocked',
  'wi-fi-lost': 'internet, network change, airplane, tunnel, mobile, VPN switched, no connection, comes back online',
  '502-bad-gateway':
    'InternalServerError, api_error, server_error, ServerError, server problem, HTML, DOCTYPE, unexpected token, mimetype, nginx, upstream, 521, 522, 525, http 5xx',
  'overloaded-inside-a-200':
    'error chunk, SSE error, stream error, 200 OK with an error, error in the stream, iterating, error while streaming, before any token',
  'the-answer-stops-in-the-middle':
    'cuts off, half a sentence, mid-sentence, unfinished, early end, missing end, rest is missing, never finishes, stops generating, aborted stream, stream ended, ended unexpectedly, stops without an error, lost response, drops, disconnects mid-stream, closed before completion',
  'the-stream-hangs':
    'unresponsive, waiting, thinking forever, stuck on thinking, no output, not responding, unresponsive, stops responding, never resolves, pending, infinite loading, just loading, deadlock, blocked, takes forever, does not reply, no answer, stale, nothing happens, abnormal response time',
  'request-timed-out':
    'APITimeoutError, TimeoutError, ReadTimeout, ConnectTimeout, deadline exceeded, 408, hardcoded timeout, increase the timeout, configurable timeout, timeout setting, timeout ignored, too tight, too quickly, timeouts, timed out after, 30 seconds, 60 seconds, 120 seconds, 10 minutes, time budget',
  'headers-timeout-error':
    'undici, UND_ERR_HEADERS_TIMEOUT, UND_ERR_BODY_TIMEOUT, socket timeout, LM Studio, local LLM, CPU, slow machine, hardware, inference, prompt processing, prefill, large context, first token, 5 minutes, five minutes, 10 minutes',
  'my-json-response-never-ends':
    'JSONDecodeError, SSE parsing error, parse error, malformed response, invalid JSON, truncated JSON, without streaming, non-streaming, response body, body read, incomplete JSON',
  'i-want-to-resume':
    'continue generation, go on, where it left off, recover partial, restore, save progress, lost progress, after a reload, after a refresh, after a crash, unfinished task',
  'an-empty-answer':
    'blank response, null, None, no choices, zero tokens, empty string, empty message, empty content, empty output, returned nothing, got nothing, no message',
  'the-tool-ran-twice':
    'executed twice, double execution, called twice, run again, side effects, re-executed, idempotent, exactly once, multiple times, duplicate execution, duplicate function call',
  'i-replaced-the-global-fetch': 'monkeypatch, patch, Stripe, other requests, interceptor',
  'the-sdk-retries':
    'double retry, nested retries, layers, amplification, multiply, too many retries, duplicate requests, request sent twice, more requests than expected',
  'text-appears-twice':
    'repeated text, message duplicated, same answer twice, double response, repeated output, repeats itself, response twice',
  'charged-billed':
    'charge, deduct, cost of a failed request, billing, double billing, double charge, duplicate charge, Idempotency-Key',
  'the-user-sees-a-spinner':
    'loading indicator, progress, status, feedback, notification, toast, banner, countdown, waiting message, silently, silent failure, hidden, invisible, no feedback, message not displayed, not displaying, not shown, resend, regenerate',
  'api-request-failed':
    'errors, an error occurred, throw, thrown, raise, error type, error below, reports errors, bad error message, unclear, cryptic, misleading, vague, meaningless, wrong error, swallowed, error details, real error, original error, root cause, unknown error, better error messages, expose the error, propagate, surface, debug, inspect the request, view failed requests, error response',
  'cannot-read-properties':
    'TypeError, AttributeError, NoneType, index out of range, KeyError, IndexError, NameError, ValueError, traceback, exception, stack trace, is not a function, not iterable, has no attribute, unexpected keyword argument, panic, segfault, unhandled rejection, uncaught, race condition, memory leak, regression, internal bug',
  'i-want-logs-metrics':
    'request log, audit log, record failed requests, track failed requests, failures not logged, log failed calls, verbose, tracing, Langfuse, telemetry, dashboard, observability, debug log, callback, events, statistics, register in logs',
  'i-cannot-cancel-it':
    'interrupt an answer, interrupt thinking, interruption, stop generation, stop streaming, kill, cancellation, AbortController, cancel in-flight, running request, Ctrl+C, escape, keeps generating, cannot stop, client disconnects, wasted tokens, close the connection',
  'a-program-that-i-cannot-change':
    'coding agent, assistant, IDE, terminal, app, Copilot, Cursor, Zed, Kilo, Windsurf, Kiro, Trae, Amp, Qwen Code, Antigravity, JetBrains, Xcode, VS Code, Neovim, Obsidian, LibreChat, Open WebUI, AnythingLLM, LobeChat, LobeHub, NextChat, Cherry Studio, Chatbox, SillyTavern, TypingMind, LM Studio, Dify, Flowise, Langflow, n8n, RAGFlow, LightRAG, AutoGPT, MetaGPT, GPT Researcher, browser-use, Skyvern, Home Assistant, WordPress, Discord, Telegram, Slack, gateway, custom base URL, override the URL, configurable endpoint, reverse proxy, session',
  'another-language-or-framework':
    '.NET, C#, PHP, Ruby, Swift, Kotlin, Elixir, Dart, LangChain, LangGraph, AutoGen, Semantic Kernel, DSPy, Haystack, Mastra, PydanticAI, smolagents, Agno, instructor, mem0, Graphiti, promptfoo, ragas, httpx, aiohttp, requests',
  'vercel-serverless': 'Netlify, edge function, function timeout, cold start, 10 seconds, execution time',
  'inngest-temporal':
    'restart, survive, process restarts, job queue, cron, schedule, Celery, sidekiq, worker restarts, step',
  'i-want-another-model':
    'failover, backup model, secondary model, alternative, rotation, rotating keys, multiple keys, key pool, load balancing, round robin, fallback chain, switch provider, automatically use another',
  'my-tests-wait': 'unit tests, test suite, simulate errors, fake server, fixtures, record and replay',
  'my-laptop-slept': 'sleep, suspend, hibernate, lid, wake up, standby',
  'speed-a-faster-answer':
    'slow, slower, slowness, performance, throughput, tokens per second, TTFT, time to first token, generation speed, response time, lag, sluggish, takes minutes, optimize, improve speed, cache',
  'a-server-or-gateway-that':
    'gibberish, garbage, nonsense, repeated characters, wrong tokens, EOS, never stops generating, finish_reason length, special tokens, llama.cpp, sglang, broken output, streaming broken',
  'streaming-does-not-work':
    'stream=True, SSE, chunks, chunk by chunk, word by word, buffering, nginx, not streamed, arrives at once, stream mode, streaming API, event-stream, streaming responses',
  'one-providers-api':
    'supportfor, OpenRouter, Groq, Mistral, DeepSeek, Azure, Bedrock, Vertex, xAI, Ollama, add provider, add model, compatible, conversion, adapter, Responses API, model list, missing model, not supported, use with another provider, integration, load balancer',
  'an-answer-that-you-do-not-like':
    'structured output, JSON mode, output parser, parse failure, ValidationError, hallucination, content filter, safety, moderation, policy, quality, wrong answer, format, guardrail',
  'what-a-model-or-an-agent-decides':
    'agent loop, max iterations, tool choice, function calling, does not call tools, tool arguments, failed commands, tool error, stops on a tool error, edit failed, diff, plan, prompt, instructions ignored, wrong answer, action input, repeats the same action, forgets, subagent, invalid tool call, cannot use tools, tool_call',
  'a-rate-limit-for-my-own':
    'rate limiting feature, per user, per IP, visitors, published app, public endpoint, protect my server, abuse, spam, quota per user, inbound, middleware, customers',
  'a-programs-own-window':
    'notworking, UI, chat, session, account, dashboard, admin panel, subscription, free credits, credits missing, free plan, update, upgrade, new version, extension, plugin, node, template, model selector, dropdown, does not work, cannot use, stopped working, always loading, contact support, refund',
  'embeddings-memory':
    'RAG, GraphRAG, retriever, vector, index, PDF, upload, attachment, vision, screenshot, OCR, browsing, search tool, documents, transcription',
  'websocket-realtime': 'WebRTC, TTS, STT, whisper, microphone, phone call, speech, live API',
  'prices-and-budgets':
    'bill, billing, money, expensive, dollars, spend, spending cap, cost control, token usage, high token usage, token count, usage statistics, millions of tokens, consuming, consumption, wasted, prompt caching, quota tracking, remaining quota',
  'downloading-or-starting':
    'install, pip, npm, build, compile, dependency, ModuleNotFoundError, version conflict, Windows, environment variable, config file, OAuth, register, start, launch, does not open, load model, pull model, GGUF, VRAM, GPU, out of memory, CUDA, initialize',
  '/server.html#on-a-server': 'Vercel, serverless, function timed out, maxDuration, Netlify, Lambda, request timeout',
};

/** The words of a section, by its id in the search: `/problems.html#the-anchor`. */
export function wordsOf(id: string): string {
  const inProblems = id.replace(/^\/problems\.html#/, '');
  return Object.entries(WORDS)
    .filter(([start]) => inProblems.startsWith(start))
    .map(([, words]) => words)
    .join(', ');
}
