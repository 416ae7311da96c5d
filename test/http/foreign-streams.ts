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

const of = (contentType: string, bodies: Readonly<Record<string, string>>): readonly ForeignStream[] =>
  Object.entries(bodies).map(([name, body]) => ({ name, contentType, body }));

export const foreignStreams: readonly ForeignStream[] = [
  ...of(SSE, {
    'a result of MCP': sse(['message', { jsonrpc: '2.0', id: 1, result: { content: [{ type: 'text', text: 'ok' }] } }]),
    'progress of MCP without a result': sse([
      'message',
      { jsonrpc: '2.0', method: 'notifications/progress', params: { progress: 1 } },
    ]),
    'an error of MCP': sse([
      'message',
      { jsonrpc: '2.0', id: 1, error: { code: -32_000, message: 'Connection closed' } },
    ]),
    'the interface stream of the AI SDK': data(
      { type: 'start' },
      { type: 'text-delta', id: '1', delta: 'Hi' },
      { type: 'finish' },
      '[DONE]',
    ),
    'the model stream of the AI SDK': data(
      { type: 'stream-start', warnings: [] },
      { type: 'text-delta', id: '1', delta: 'Hi' },
    ),
    'a run of OpenAI Assistants': `${sse(['thread.run.created', { id: 'run_1', object: 'thread.run', status: 'queued' }], ['thread.message.delta', { id: 'msg_1', object: 'thread.message.delta', delta: { content: [] } }])}event: done\ndata: [DONE]\n\n`,
    'speech of OpenAI': typed(
      { type: 'speech.audio.delta', audio: 'UklGRg==' },
      { type: 'speech.audio.done', usage: {} },
    ),
    'an image of OpenAI': typed(
      { type: 'image_generation.partial_image', b64_json: 'iVBO', partial_image_index: 0 },
      { type: 'image_generation.completed', b64_json: 'iVBO' },
    ),
    'a transcription of OpenAI': typed(
      { type: 'transcript.text.delta', delta: 'Hi' },
      { type: 'transcript.text.done', text: 'Hi' },
    ),
    'tokens of Text Generation Inference': data({
      index: 1,
      token: { id: 1, text: 'Hi', special: false },
      generated_text: null,
      details: null,
    }),
    'a prediction of Replicate': 'event: output\nid: 1:0\ndata: Hello\n\nevent: done\ndata: {}\n\n',
    'a completion of llama.cpp': data({ content: 'Hi', stop: false, id_slot: 0 }, { content: '', stop: true }),
    'a task of A2A': data({ jsonrpc: '2.0', id: 1, result: { kind: 'status-update', status: { state: 'working' } } }),
    'a run of LangGraph': sse(['metadata', { run_id: '1' }], ['values', { messages: [] }], ['end', null]),
    'a chat of Dify': data({ event: 'message', task_id: '1', answer: 'Hi' }, { event: 'message_end', metadata: {} }),
    'a generation of DashScope': sse([
      'result',
      { output: { choices: [{ message: { content: 'Hi' }, finish_reason: 'null' }] } },
    ]),
    'lines of text': 'data: Hello\n\ndata: world\n\n',
    'events of a bus with the types of a chat': typed({ type: 'message_start', id: 1 }, { type: 'message_end', id: 1 }),
    // Each has all marks of a language model but one.
    'the choices of a quiz': data(
      { choices: [{ index: 0, label: 'Paris', finish_reason: null }] },
      { choices: [{ label: 'Rome' }] },
    ),
    'changes of the choices of a quiz': data({ choices: [{ index: 0, delta: { votes: 1 } }] }),
    'the candidates of an election': data(
      { candidates: [{ content: 'A programme' }] },
      { candidates: [{ content: 'Another' }] },
    ),
  }),
  ...of(NDJSON, {
    'a log that begins with an error': lines(
      { level: 'error', msg: 'The job failed', error: 'boom' },
      { level: 'info', msg: 'The next job began' },
    ),
    'a log in NDJSON': lines(
      { level: 'info', message: 'started' },
      { level: 'error', error: 'disk full', done: false },
    ),
    'the download of a model by Ollama': lines({ status: 'pulling manifest' }, { status: 'downloading', completed: 1 }),
    'changes of CouchDB': lines({ seq: 1, id: 'a', changes: [{ rev: '1' }] }, { last_seq: 1, pending: 0 }),
    'the training of a model': lines(
      { model: 'resnet', epoch: 1, done: false },
      { model: 'resnet', epoch: 2, done: true },
    ),
    'a job of a model with its message as a text': lines({
      model: 'resnet',
      message: 'loading',
      response: 1,
      done: false,
    }),
    'a job without a model': lines(
      { message: { content: 'loading' }, done: false },
      { message: { content: 'ready' }, done: true },
    ),
  }),
];
