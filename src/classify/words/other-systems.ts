/**
 * Names of systems that are not models, in the form of `wordsOf`. What a program says of them, or of the network to them,
 * says nothing about a model, so no retry of a model's request helps. They are data.
 */

/** Clients of MCP servers, whatever they say of their connection. A function, which bundlers can leave out. */
export const readMcpClients = (): readonly string[] => [
  '\\bmcp (?:client\\d{0,3}|startup|host|bridge|connection|error)\\b',
  '\\bmcp[a-z]{3,24}\\b',
  // A call of a tool whose server cannot be reached names no more than that.
  '(?<!failed to connect to )\\bmcp (?:server|implementation)\\b|\\bmcp server using\\b|\\blist tools\\b',
  '\\bmodelcontextprotocol\\b|\\bstreamable ?http(?! error: error posting)|/(?:mcp|sse)\\b(?! ?/)',
];

/** They count in a text, or in its stack trace, that names no model and no provider. */
export const readOtherSystems = (): readonly string[] => [
  // Databases, and what programs use to reach them.
  '\\b(?:redis|postgres(?:ql)?|pg pool|psycopg2?|mysql|mariadb|mssql|mongo(?:db|ose)?|pymongo|cassandra|clickhouse)\\b',
  '\\b(?:elasticsearch|elastic transport|urllib3httpnode|opensearch|neo4j|etcd|zookeeper|memcached?|minio)\\b',
  '\\b(?:sqlalchemy|prisma|drizzle|sequelize|typeorm|knex)\\b|\\bdatabase migrat',
  // Their ports.
  '(?::|\\bport )(?:5432|3306|6379|27017|9200|5672|9092|19530|6333|6334|2379|11211|1433|1521|9222|9229)\\b',
  // Stores of vectors.
  '\\b(?:chroma(?:db)?|qdrant|milvus(?:exception)?|pymilvus|weaviate|pinecone|lancedb|pgvector)\\b',
  // Queues.
  '\\b(?:kafka|rabbitmq|amqp[a-z]{0,20}|celery)\\b',
  // Containers and places where code is run: `Failed to execute code, please check if the sandbox service is running`.
  '\\b(?:docker(?!\\.internal)|dockerd|containerd|kubelet|unixhttpconnectionpool)\\b',
  '\\bsandbox (?:failed|service|timed out|error|is not|not)\\b',
  '\\b(?:failed to|error|could not|unable to) execut(?:e|ing) (?:the )?(?:code|command|script|query|sql|tool|function|node)\\b',
  // Browsers that a program drives, and their tests.
  '\\b(?:playwright|puppeteer|selenium|webdriver|chromedriver|navigating to|page\\.goto)\\b',
  // Programs that a tool drives, and the services that one asks.
  '\\b(?:blender|unity|unreal|godot|figma|photoshop|ghidra|xcode|ssh)\\b',
  '\\b(?:jira|confluence|atlassian|notion|slack|discord|telegram)\\b|/rest/api/',
  '\\bwss?://(?:localhost|127\\.)|\\bwebsocketshandshake\\b',
  // Tools that search.
  '\\b(?:duckduckgo|ddgs|tavily|serper|serpapi|searxng|firecrawl)',
  // A line in the log of a server of the program's own: `"GET /api/user/repositories HTTP/1.1" 500`.
  '\\bget /[^ \\n]{1,200} http/\\d|\\bexception in asgi application\\b',
  '\\b(?:uvicorn|gunicorn|django|flask|webpack|(?<!\\.)vite|gradle|maven)\\b|\\btask ?group\\b',
  // A program that looks for a server: `Error checking 127.0.0.1:3025: fetch failed`.
  '\\berror checking (?:[a-z]|\\d)',
];

/** A text that names one of these may be about a model, whatever else it names. */
export const OF_MODELS: RegExp =
  /\b(?:llms?|models?|openai|anthropic|claude|gemini|vertex|bedrock|mistral|deepseek|ollama|openrouter|groq|grok|qwen|copilot|cohere|vllm|litellm|gpt|completions?|embeddings?|v1\/)/;
