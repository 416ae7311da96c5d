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
  // A server of plugins, and the trace of a Go program.
  '\\bplugin runtime\\b|\\bgoroutine \\d{1,6} \\[',
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

/** The server of a tool: a general head before it says nothing about a model. */
export const OF_MCP: RegExp = /\bmcp/;

/** What a text begins with, or has, that is of a tool, of a database or of a browser. */
export const readTools = (): readonly string[] => [
  // Only at the beginning: `Tool timed out`, `Database connection failed`, `Redis: …`.
  '^(?:error: )?(?:tool|function|command|script|build|hook)(?: (?:call|execution))? (?:timed out|timeout)\\b',
  '^(?:error: )?(?:database|db|postgres(?:ql)?|mysql|mongodb)(?: (?:connection|query|server))? (?:timed out|timeout|failed)\\b',
  '^(?:error: )?(?:redis|kafka|amqp|smtp|imap|ldap|lsp|d bus|\\[?vite|service worker|payment)\\b',
  '^(?:error: )?(?:protocol error: connection closed|resource temporarily unavailable)\\b',
  // Programs of the shell.
  '\\b(?:ssh|kex exchange identification|sftp|smtp|pip|npm|rsync)\\b(?= ?:| (?:connection|error|err)\\b)',
  '\\bgit (?:clone|fetch|push|pull)\\b|\\b(?:pip|npm) install\\b|\\bcould not install\\b|\\bspawn\\b|\\banother process\\b',
  '\\bwinerror [235]\\b|找不到指定的',
  // The server of a tool, and what it connects to.
  '\\binitialize response\\b|\\bserver disconnected. for troubleshooting\\b|\\bdaemon (?:socket|process)\\b',
  '\\b(?:kernel|language server|database|docker|queue) connection\\b',
  '\\bconnect(?:ion|ing|ed)? (?:(?:to|with) )?(?:the |an? )?(?:pg|postgres(?:ql)?|mysql|mongo|redis|db|database) (?:pool|client|server)\\b',
  '\\bconnect(?:ion|ing|ed)? (?:(?:to|with) )?(?:the |an? )?(?:blender|unity|unreal|godot|figma|photoshop|obsidian|ghidra|xcode)\\b',
  '\\bconnect(?:ion|ing|ed)? (?:(?:to|with) )?(?:the |an? )?(?:simulator|emulator|chrome|firefox|browser|desktop app|extension)\\b',
  '\\bconnect(?:ion|ing|ed)? (?:(?:to|with) )?(?:the |an? )?(?:add ?on|plugin|kernel|sandbox|container|debugger|excel|wordpress)\\b',
  '\\bconnect(?:ion|ing|ed)? (?:(?:to|with) )?(?:the |an? )?(?:jira|github|gitlab|slack|notion)\\b',
  // Searches, pages, files and statistics.
  '\\b(?:exa|tavily|brave|serper|searxng|web|google|duckduckgo) search (?:rate|failed|error)',
  '\\bweb ?(?:fetch|search) (?:failed|error|timed out)\\b|\\bnavigation failed\\b|\\bcdp\\b',
  '\\bfailed to (?:sync|upload|check for updates)\\b|\\b(?:analytics|telemetry|download|upload) (?:request )?failed\\b',
  // A name or a key that the program never had.
  '\\b(?:enotfound|getaddrinfo|resolve host:?) (?:undefined|null)\\b|\\bserver unavailable key:|[./]undefined\\b(?:[./:]|$)',
];

const FAILED_TO = '(?:failed to|could not|cannot|unable to|error)';

/** What fails in a program or in its set-up, before or beside any call of a model. */
export const readSetup = (): readonly string[] => [
  // A tool, a hook or a plugin: `Tool execution failed`, but not `Tool error 500`.
  '\\b(?:pre|post)tooluse|\\bobject has no attribute|\\bin tool execution',
  '\\b(?:tool|hook|plugin|skill|lint|compilation)(?: (?:execution|call))? (?:has )?(?:failed|errors?\\b(?! ?:? ?\\d))',
  '\\b(?:provider|client|model|engine|agent|server|llm) initiali[sz]ation(?: (?:execution|call))?' +
    ' (?:has )?(?:failed|errors?\\b(?! ?:? ?\\d))',
  '\\b(?:executing|calling|invoking|to (?:execute|call|invoke)) (?:the )?(?:mcp )?tools?\\b(?!:)',
  // A part that does not begin: `Failed to initialize`, `Could not create the client`, but not `Failed to start the stream`.
  '\\b(?:fail(?:ed|s)? to|unable to|could not|couldnt|cannot|error) (?:instantiat|initiali[sz]|spawn|launch|import)[a-z]{0,3}\\b' +
    '(?! (?:the )?(?:[a-z]{1,16} )?(?:stream|response|generation|chat|completion|request))',
  `\\b${FAILED_TO} init\\b(?! (?:response|request|output|connection))`,
  `\\b${FAILED_TO} (?:creat(?:e|ing)|build(?:ing)?|construct(?:ing)?|register(?:ing)?|activat(?:e|ing)|bootstrap)` +
    ' (?:an? |the |new )?(?:[a-z]{1,16} )?(?:llm|client|models?|provider|agent|copilot|session|tool)\\b' +
    '(?! (?:response|request|output|connection))',
  '\\b(?:failed to|could not|couldnt|cannot|unable to) (?:start|boot)(?! (?:the )?(?:[a-z]{1,16} )?' +
    '(?:stream|response|reply|answer|generation|inference(?! server)|chat|completion|request))',
  '\\b(?:failed to|could not|couldnt|cannot) (?:apply|resolve [@.])|\\bcrashed on startup|\\bloader crashed',
  // What is stored, shown or loaded.
  '\\b(?:failed to|could not|error) (?:store|render(?:ing)?|display(?:ing)?|sav(?:e|ing))\\b',
  '\\b(?:failed to|could not|error) load(?:ing)? (?:chat|history|models?)\\b' +
    '(?! (?:in time|list|response|reply|answer|output|completion))',
  '\\bdll load failed|\\bnoclassdeffound\\w{0,20}|\\bclass not found',
  // Databases, queues, containers, browsers, bundlers and processes.
  '\\b(?:failed to connect|could not connect|unable to connect) to (?:the )?(?:redis|postgres\\w{0,20}|mysql|mongo\\w{0,20}|database)',
  '\\belasticsearch|\\b(?:chroma|qdrant|milvus|pinecone|weaviate|vector ?(?:store|db)|pymongo|psycopg2?)\\b',
  '\\b(?:docker daemon|response from daemon|rabbitmq|amqpconnection\\w{0,20}|browser connection|to chrome|devtools)\\b',
  '\\b(?:webpack|esbuild|rollup|child process|sidecar|ipc|mmap|client ai assistant)\\b',
];
