/** Streams of other protocols than those of language models, each complete: nothing may be said about their end. */

import { sse } from '../classify/cases.ts';

export interface ForeignStream {
  readonly name: string;
  readonly contentType: string;
  readonly body: string;
}

const data = (...values: readonly unknown[]): string => sse(...values.map((value): [string, unknown] => ['', value]));
const typed = (...values: readonly { readonly type: string; readonly [field: string]: unknown }[]): string =>
  sse(...values.map((value): [string, unknown] => [value.type, value]));
const lines = (...values: readonly unknown[]): string => values.map((value) => `${JSON.stringify(value)}\n`).join('');

const SSE = 'text/event-stream';
const NDJSON = 'application/x-ndjson';

export const foreignStreams: readonly ForeignStream[] = [
  {
    name: 'a result of MCP',
    contentType: SSE,
    body: sse(['message', { jsonrpc: '2.0', id: 1, result: { content: [{ type: 'text', text: 'ok' }] } }]),
  },
  {
    name: 'progress of MCP without a result',
    contentType: SSE,
    body: sse(['message', { jsonrpc: '2.0', method: 'notifications/progress', params: { progress: 1 } }]),
  },
  {
    name: 'an error of MCP',
    contentType: SSE,
    body: sse(['message', { jsonrpc: '2.0', id: 1, error: { code: -32_000, message: 'Connection closed' } }]),
  },
  {
    name: 'the interface stream of the AI SDK',
    contentType: SSE,
    body: data({ type: 'start' }, { type: 'text-delta', id: '1', delta: 'Hi' }, { type: 'finish' }, '[DONE]'),
  },
  {
    name: 'the model stream of the AI SDK',
    contentType: SSE,
    body: data({ type: 'stream-start', warnings: [] }, { type: 'text-delta', id: '1', delta: 'Hi' }),
  },
  {
    name: 'a run of OpenAI Assistants',
    contentType: SSE,
    body: `${sse(['thread.run.created', { id: 'run_1', object: 'thread.run', status: 'queued' }], ['thread.message.delta', { id: 'msg_1', object: 'thread.message.delta', delta: { content: [] } }])}event: done\ndata: [DONE]\n\n`,
  },
  {
    name: 'speech of OpenAI',
    contentType: SSE,
    body: typed({ type: 'speech.audio.delta', audio: 'UklGRg==' }, { type: 'speech.audio.done', usage: {} }),
  },
  {
    name: 'a log that begins with an error',
    contentType: NDJSON,
    body: lines({ level: 'error', msg: 'The job failed', error: 'boom' }, { level: 'info', msg: 'The next job began' }),
  },
  {
    name: 'an image of OpenAI',
    contentType: SSE,
    body: typed(
      { type: 'image_generation.partial_image', b64_json: 'iVBO', partial_image_index: 0 },
      { type: 'image_generation.completed', b64_json: 'iVBO' },
    ),
  },
  {
    name: 'a transcription of OpenAI',
    contentType: SSE,
    body: typed({ type: 'transcript.text.delta', delta: 'Hi' }, { type: 'transcript.text.done', text: 'Hi' }),
  },
  {
    name: 'a log in NDJSON',
    contentType: NDJSON,
    body: lines({ level: 'info', message: 'started' }, { level: 'error', error: 'disk full', done: false }),
  },
  {
    name: 'the download of a model by Ollama',
    contentType: NDJSON,
    body: lines({ status: 'pulling manifest' }, { status: 'downloading', completed: 1 }),
  },
  {
    name: 'tokens of Text Generation Inference',
    contentType: SSE,
    body: data({ index: 1, token: { id: 1, text: 'Hi', special: false }, generated_text: null, details: null }),
  },
  {
    name: 'a prediction of Replicate',
    contentType: SSE,
    body: 'event: output\nid: 1:0\ndata: Hello\n\nevent: done\ndata: {}\n\n',
  },
  {
    name: 'a completion of llama.cpp',
    contentType: SSE,
    body: data({ content: 'Hi', stop: false, id_slot: 0 }, { content: '', stop: true }),
  },
  {
    name: 'a task of A2A',
    contentType: SSE,
    body: data({ jsonrpc: '2.0', id: 1, result: { kind: 'status-update', status: { state: 'working' } } }),
  },
  {
    name: 'a run of LangGraph',
    contentType: SSE,
    body: sse(['metadata', { run_id: '1' }], ['values', { messages: [] }], ['end', null]),
  },
  {
    name: 'a chat of Dify',
    contentType: SSE,
    body: data({ event: 'message', task_id: '1', answer: 'Hi' }, { event: 'message_end', metadata: {} }),
  },
  {
    name: 'a generation of DashScope',
    contentType: SSE,
    body: sse(['result', { output: { choices: [{ message: { content: 'Hi' }, finish_reason: 'null' }] } }]),
  },
  { name: 'lines of text', contentType: SSE, body: 'data: Hello\n\ndata: world\n\n' },
  {
    name: 'changes of CouchDB',
    contentType: NDJSON,
    body: lines({ seq: 1, id: 'a', changes: [{ rev: '1' }] }, { last_seq: 1, pending: 0 }),
  },
  {
    name: 'events of a bus with the types of a chat',
    contentType: SSE,
    body: typed({ type: 'message_start', id: 1 }, { type: 'message_end', id: 1 }),
  },
  // Each has all marks of a language model but one.
  {
    name: 'the choices of a quiz',
    contentType: SSE,
    body: data({ choices: [{ index: 0, label: 'Paris', finish_reason: null }] }, { choices: [{ label: 'Rome' }] }),
  },
  {
    name: 'changes of the choices of a quiz',
    contentType: SSE,
    body: data({ choices: [{ index: 0, delta: { votes: 1 } }] }),
  },
  {
    name: 'the candidates of an election',
    contentType: SSE,
    body: data({ candidates: [{ content: 'A programme' }] }, { candidates: [{ content: 'Another' }] }),
  },
  {
    name: 'the training of a model',
    contentType: NDJSON,
    body: lines({ model: 'resnet', epoch: 1, done: false }, { model: 'resnet', epoch: 2, done: true }),
  },
  {
    name: 'a job of a model with its message as a text',
    contentType: NDJSON,
    body: lines({ model: 'resnet', message: 'loading', response: 1, done: false }),
  },
  {
    name: 'a job without a model',
    contentType: NDJSON,
    body: lines({ message: { content: 'loading' }, done: false }, { message: { content: 'ready' }, done: true }),
  },
];
