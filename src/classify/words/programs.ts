/**
 * By what errors of a program itself are known, and those that only look like one, in the form in which programs print
 * them. They are data, in rows of alternatives.
 */

/** An error of the program itself: no part of it comes from a server. */
export const PROGRAM_ERRORS: readonly string[] = [
  // Types of errors of languages: Python's, JavaScript's, Ruby's, then Java's.
  '\\b(?:Syntax|Reference|Range|Assertion|Key|Index|Attribute|Name|Import|ModuleNotFound|Indentation|ZeroDivision)Error\\b',
  '\\b(?:NotImplemented|Recursion|Unicode\\w{1,20}|NoMethod|Argument|Lookup|FileNotFound|Zod|Eval|URI)Error\\b',
  '\\b(?:NullPointer|Illegal\\w{1,20}|ClassCast|\\w{0,20}IndexOutOfBounds|ClassNotFound|UnsupportedOperation|Arithmetic)Exception\\b',
  // Fetch throws a TypeError where the network fails.
  '\\bTypeError\\b(?!.{0,3}(?:fetch failed|failed to fetch|network|terminated|load failed)' +
    '|[^{}]{0,200}"message": ?"(?:failed to fetch|fetch failed|load failed))',
  // Sentences of languages, compilers and validators.
  '\\bpanicked at\\b|is not JSON serializable|is not (?:a function|defined|iterable|assignable)|cannot read propert',
  'object has no attribute|cannot find (?:module|name)|no module named|no such file|unexpected (?:token|keyword argument)|segmentation fault',
  'validation errors? for (?!(?:ChatCompletion(?:Chunk)?|(?:Model|Chat|GenerateContent)Response)\\b)|\\berror TS\\d|\\bTS\\d{4}\\b',
  // Tests.
  '\\bassert|\\bexpect(?:ed)?\\b.{0,60}\\b(?:to (?:be|equal|have|throw|match|contain|include)|but|got|received|actual)\\b',
  '\\.(?:test|spec)\\.[a-z]{1,4}\\b|::test_|\\btests? failed|\\b(?:test|hook|step)s? timed out|\\btests run\\b|\\btimeout \\d{1,9} ?ms exceeded',
  // Codes of the operating system.
  '(?<!\\bconnect )\\bE(?:NOENT|ACCES|ADDRINUSE|EXIST|PERM|NOTDIR|ISDIR|MFILE|NOSPC)\\b',
];

/** The end of a process, a position in a file, a port. */
export const PROCESS_ENDS: readonly string[] = [
  '\\bspawn(?:ed|ing)?\\b|\\bexit(?:ed)?(?: with)?(?: status| code)?\\b|\\bcommand failed\\b|\\bpull rate limit',
  '\\bsignal\\b(?! timed out)|\\berrno\\b(?! ?(?:-\\d|8|5\\d|6[0145]|1[01]\\d|1[01]0\\d\\d)\\b)',
  '\\bon line\\b|\\bline \\d(?!\\d{0,5} column)|\\bon port\\b|\\bport (?!443\\b)\\d',
];

/** What has words of a program's error although a model or a network has failed. */
export const LOOK_ALIKES: readonly string[] = [
  // LM Studio's, Ollama's and that of curl's network, with an exit code or a signal.
  '^\\W{0,8}(?:[\\w ]{0,20}error: )?(?:the model has crashed|llama[ -](?:runner|server) process)\\b',
  '\\bcurl: \\((?:[567]|18|28|35|5[256]|92)\\)',
  // An answer of a model with other parts than the program needs: vLLM's, that of Codex and DSPy's.
  '\\bexpected (?:(?:exactly|at least|an?|one|\\d{1,2}) ){0,2}(?:[a-z]{1,16} ){0,2}(?:outputs?|responses?|completions?)' +
    '(?: (?:items?|messages?|blocks?))?\\b.{0,40}\\b(?:got|received|found)\\b',
  '\\bexpected dict_keys\\(',
  // A parser's complaint that quotes the page of a server or of a proxy.
  '\\bunexpected token \'?.{1,3} ?, "(?:An (?:error o|intern|unexp)|Internal|Bad Gatewa|upstream|Service |Gateway T|error code|<html)',
];

/** Parts of a line about the server of a tool, which says nothing about the provider: `MCP error -32001: Request timed out`. */
export const TOOL_LINES: readonly string[] = [
  '\\b(?:mcp|acp)\\b[^\\n]{0,256}\\b(?:errors?|fail(?:ed|ure|s)?|disconnected|closed|lost|reset|refused|terminated|timed out|enoent)\\b',
  '\\bsse error: (?:non-200|typeerror|undefined|unknown|invalid content)\\b',
  '\\bclient failed to connect\\b|\\bfailed to connect client\\b',
];

/**
 * A line of another program, a database or a package registry, whose network is not that of a provider: `npm error code
 * ECONNRESET`, `psql: error: connection refused`.
 */
export const PROGRAM_LINES: readonly string[] = [
  '^\\W{0,8}(?:error:? )?(?:npm|pnpm|yarn|gyp|pip|git|gh|ssh|kex_exchange_identification|rsync|docker|podman)(?::| err(?:or|!))',
  '^\\W{0,8}(?:error:? )?(?:kubectl|helm|terraform|psql|mysql|adb|gpg|go|brew|cmake|make|cargo)(?::| err(?:or|!))',
  '^fatal:|\\bnpm err(?:or|!)|\\berr_pnpm_|\\brpc failed\\b|\\bfailed to solve\\b|\\bbrowsertype\\.|\\bpage\\.goto\\b',
  '\\bmodelcontextprotocol\\b|\\.(?:npmjs|yarnpkg|docker(?!\\.internal)|terraform|pythonhosted|crates|golang|rust-lang|maven)\\.',
  '\\b(?:mongo|sequelize|prisma|redis|psycopg|sqlalchemy|kafka)[a-z]{0,40}(?:error|\\.)',
  '(?::|port )(?:5432|3306|6379|27017|9222|9229)\\b',
];

/** Clients of MCP servers, whatever they say of their connection, and a server of plugins. */
export const OTHER_SYSTEMS: readonly string[] = [
  '\\bmcp[a-z]{3,24}\\b|\\bplugin runtime\\b',
  // A call of a tool whose server cannot be reached names no more than that.
  '\\bmodelcontextprotocol\\b|\\bstreamable ?http(?! error: error posting)|/(?:mcp|sse)\\b(?! ?/)',
];

const FAILED_TO = '(?:failed to|could not|cannot|unable to|error)';
/** What fails in a program or in its set-up, before or beside any call of a model. */
export const SETUP: readonly string[] = [
  // A part that does not begin: `Failed to initialize`, `Could not create the client`, but not `Failed to start the stream`.
  '\\b(?:fail(?:ed|s)? to|unable to|could not|couldnt|cannot|error) (?:instantiat|initiali[sz]|spawn|launch|import)[a-z]{0,3}\\b' +
    '(?! (?:the )?(?:[a-z]{1,16} )?(?:stream|response|generation|chat|completion|request))',
  `\\b${FAILED_TO} (?:creat(?:e|ing)|build(?:ing)?|construct(?:ing)?|register(?:ing)?|activat(?:e|ing)|bootstrap)` +
    ' (?:an? |the |new )?(?:[a-z]{1,16} )?(?:llm|client|models?|provider|agent|copilot|session|tool)\\b' +
    '(?! (?:response|request|output|connection))',
  // A program of the shell, and a name that the program never had.
  '找不到指定的|[./]undefined\\b(?:[./:]|$)',
];

/** Whole texts that say only that something failed, and name no cause. */
export const NO_CAUSE: readonly string[] = [
  'something (?:went|has gone) wrong|(?:an )?(?:internal|unknown|unexpected) error(?: occurred)?|an error (?:has )?occurred',
  '(?:(?:the|your) )?request failed|(?:please )?(?:retry|try again)(?: later)?',
];
