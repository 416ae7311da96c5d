/**
 * Names of systems that are not models, in the form of `wordsOf`. What a program says of them, or of the network to them,
 * says nothing about a model, so no retry of a model's request helps. They are data.
 */
/** Clients of MCP servers, whatever they say of their connection. A function, which bundlers can leave out. */
export const readMcpClients = (): readonly string[] => [
  '\\bmcp[a-z]{3,24}\\b',
  // A call of a tool whose server cannot be reached names no more than that.
  '\\bmodelcontextprotocol\\b|\\bstreamable ?http(?! error: error posting)|/(?:mcp|sse)\\b(?! ?/)',
];
/** They count in a text, or in its stack trace, that names no model and no provider. */
export const readOtherSystems = (): readonly string[] => [
  // A server of plugins, and the trace of a Go program.
  '\\bplugin runtime\\b|\\bgoroutine \\d{1,6} \\[',
];
/** A text that names one of these may be about a model, whatever else it names. */
export const OF_MODELS: RegExp =
  /\b(?:llms?|models?|openai|anthropic|claude|gemini|vertex|bedrock|mistral|deepseek|ollama|openrouter|groq|grok|qwen|copilot|cohere|vllm|litellm|gpt|completions?|embeddings?|v1\/)/;
/** The server of a tool: a general head before it says nothing about a model. */
export const OF_MCP: RegExp = /\bmcp/;
/** What a text begins with, or has, that is of a tool, of a database or of a browser. */
export const readTools = (): readonly string[] => [
  // Programs of the shell.
  '\\bgit (?:clone|fetch|push|pull)\\b|\\b(?:pip|npm) install\\b|\\bcould not install\\b|\\bspawn\\b|\\banother process\\b',
  '\\bwinerror [235]\\b|找不到指定的',
  // A name or a key that the program never had.
  '\\b(?:enotfound|getaddrinfo|resolve host:?) (?:undefined|null)\\b|\\bserver unavailable key:|[./]undefined\\b(?:[./:]|$)',
];

const FAILED_TO = '(?:failed to|could not|cannot|unable to|error)';
/** What fails in a program or in its set-up, before or beside any call of a model. */
export const readSetup = (): readonly string[] => [
  // A part that does not begin: `Failed to initialize`, `Could not create the client`, but not `Failed to start the stream`.
  '\\b(?:fail(?:ed|s)? to|unable to|could not|couldnt|cannot|error) (?:instantiat|initiali[sz]|spawn|launch|import)[a-z]{0,3}\\b' +
    '(?! (?:the )?(?:[a-z]{1,16} )?(?:stream|response|generation|chat|completion|request))',
  `\\b${FAILED_TO} (?:creat(?:e|ing)|build(?:ing)?|construct(?:ing)?|register(?:ing)?|activat(?:e|ing)|bootstrap)` +
    ' (?:an? |the |new )?(?:[a-z]{1,16} )?(?:llm|client|models?|provider|agent|copilot|session|tool)\\b' +
    '(?! (?:response|request|output|connection))',
];
