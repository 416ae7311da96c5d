/**
 * The sentences in which programs report that a model failed, in the form of `wordsOf`, and the words that leave the
 * cause open. They are data: the source map names this file, and the package does not contain it.
 */

import type { FailureType } from '../../failure/failure.ts';

const MODEL =
  '(?:llm|ai|model|assistant|agent|chat|chatbot|provider|upstream|api|server|backend|gpt|openai|anthropic|claude|' +
  'gemini|google|azure|bedrock|mistral|deepseek|ollama|openrouter|groq|grok|qwen|horde|copilot|codex|vertex|cohere|' +
  'vllm)';
/** Those of which a bare "error" is one of a call. */
const PROVIDER =
  '(?:llm|ai|model|provider|upstream|api|gpt|openai|anthropic|claude|gemini|bedrock|mistral|deepseek|ollama|openrouter|' +
  'groq|grok|qwen|copilot|vertex|cohere|vllm)';
const ANSWER =
  '(?:responses?|reply|replies|completions?|answer|output|message|content|text|json|choices|candidates|embeddings?|' +
  'tool calls?|object|data|images?|videos?|audio|speech|transcripts?|stream)';
/** What comes back from a model and from little else. */
const RESPONSE = '(?:response|reply|completion|answer|output)';
const UNUSABLE =
  '(?:empty|blank|incomplete|incorrect|invalid|malformed|missing|unusable|unexpected|unparsable|bad|null|truncated|cut off)';
const FAILED_TO = '(?:failed to|could not|couldnt|unable to|cannot|error(?: while| in| when)?|problem|issue|trouble)';
const WORD = '[a-z0-9]{1,16}';
const END = '[.!]?(?:$|,? (?:detail|type|code|param|status|error|success|message|request id) ?:)';
/** The beginning of a line, or of a message in a body. */
const BEGIN =
  '(?:^|(?:\\b(?:[a-z]{0,24}(?<!decode)error|[a-z]{0,24}exception|message|detail|msg|reason|encountered)|错误信息|失败) ' +
  '?[:：] ?)(?:error: )?';
/** A file or another thing of the program, named after an answer. */
const NOT_A_THING = '(?! (?:file|template|script|schema|format|config|header|handler|class|type|directory|folder))';

/** In the form of `wordsOf`; the first that matches counts. A function, which bundlers can leave out. */
export const readSentences = (): readonly (readonly [type: FailureType, patterns: readonly string[]])[] => [
  [
    'timeout',
    [
      '\\btimed out waiting for llama (?:server|runner)\\b',
      '\\b(?:grok|claude|codex|gemini|copilot|qwen) (?:cli |code )?(?:command |process |request )?timed out\\b',
      `\\b(?:timed out|timeout) (?:while )?waiting for (?:an? |the )?(?:${WORD} ){0,2}(?:response|reply|answer|model|llm)\\b`,
      `${BEGIN}(?:request|api|llm|model|upstream|gateway)(?: request)? time ?out${END}`,
      '\\b(?:post|get) [^ \\n]{1,200} timed out\\b',
      '\\b(?:request|network) time ?out\\b(?! (?:must|option|param|setting|value))',
      '\\boperation (?:exceeded|was) timeout\\b|\\bdeadline expired\\b',
      `\\b(?:service|backend|cli|upstream|queue|gateway|provider|llm|model|proxy) time ?out${END}`,
      '\\b(?:transcription|translation|embedding|generation) (?:request )?failed: time(?:out|d out)\\b',
      '\\b(?:processing|polling|generation|inference|transcription) timed out\\b',
      '\\b(?:aborted|cancell?ed) due to (?:a |the )?(?:timeout|configured)\\b|\\btimeout of \\d{1,9} ?ms exceeded\\b',
      '\\bkilled by timeout\\b|\\bsignal timed out\\b|\\bbody timeout error\\b',
      '\\b(?:time to|waiting for) (?:the )?first (?:token|byte|chunk)\\b',
      '\\b(?:agent|assistant) (?:execution|run|turn) timed out\\b',
      '\\b(?:no|any) (?:data|response|output|tokens?) (?:was |were )?(?:received )?(?:for|in|within) \\d{1,6} ?(?:s|ms|sec|min)',
      '\\b(?:headers|body|ping) timeout\\b',
      '\\b(?:request|call|generation|response) took (?:over|longer than|more than) \\d[^\\n]{0,200}',
      '\\btimed out while (?:generating|processing)\\b|\\bnet::opentimeout\\b',
      '\\b(?:token|chunk|inactivity|stall|stream|response|generation|completion|chat) time ?out\\b',
      '\\btook too long to (?:respond|reply|answer|get|generate|process)\\b',
      `\\b(?:${MODEL}|response|request|generation|reply)s?(?: ${WORD}){0,2} (?:took|taking|takes) too long\\b`,
    ],
  ],
  [
    'stream_interrupted',
    [
      `\\bstream(?:ing)?(?: ${WORD})? (?:is |was |has been )?(?:idle|stalled|cancell?ed|terminated|interrupted|dropped|` +
        'broken)\\b',
      `\\b(?:ended|closed|stopped|truncated|finished|completed|concluded|terminated)(?: ${WORD}){0,3} (?:without|` +
        `before) (?:${WORD} ){0,4}(?:responses?|reply|answer|output|message|content|chunks?|text|events?|reason|` +
        'completed?|done|turn)\\b',
      `\\b(?:unexpected event order|received message (?:start|stop) without)\\b`,
      `\\berror (?:injected )?in(?:to)? (?:the |an )?(?:${WORD} )?stream\\b`,
      `\\bdid not receive (?:${WORD} ){0,4}(?:response|reply|answer|message)\\b`,
      `${BEGIN}(?:${WORD} )?stream(?:ing)? (?:error|failed)${END}`,
      '\\bresponse (?:has |was )?(?:ended unexpectedly|cut off|truncated|interrupted)\\b',
      `\\b(?:generation|response) stalled\\b|\\breading from (?:the )?stream${END}`,
      `\\bincomplete (?:generation |response |chat )?stream\\b|${BEGIN}incomplete generation${END}`,
      '^stream failed: stream ended|\\btoo many empty messages\\b|\\bstream (?:was )?(?:reset|aborted)\\b',
      '\\bstream id \\d{1,6}; cancel\\b|\\bsse (?:stream|connection) (?:disconnected|aborted|closed|lost)\\b',
      '\\baborted the sse\\b|\\btransfer closed with outstanding\\b',
      '\\b(?:did not|didnt|does not|never|without|failed to) (?:emit|produc|send|yield|receiv|deliver)[a-z]{0,4} ' +
        `(?:an? |any |the )?(?:${WORD} )?(?:terminal|final|first|completion) (?:${WORD} )?(?:response|event|message|` +
        'chunk|token|answer)\\b',
      `\\bno (?:terminal|final) (?:${WORD} )?(?:event|chunk|message|response)\\b`,
      '\\bno tokens (?:were )?(?:received|generated|produced)\\b',
    ],
  ],
  [
    'connection_error',
    [
      '\\blost connection\\b',
      `\\bconnection (?:to (?:the )?(?:${WORD} ){1,2})?(?:was |is |has been )?(?:lost|interrupted|dropped|stalled)\\b`,
      `\\bwebsocket (?:${WORD} ){0,2}(?:closed|disconnected)\\b|\\bdisconnected from (?:the )?server\\b`,
      '\\b(?:curl|request) (?:error: |(?:failed|exited) with )(?:exit )?code:? (?:[567]|18|28|35|5[256]|92)\\b',
      `\\b(?:you are|youre) (?:currently )?offline${END}|\\bno internet connection\\b`,
      '\\bnetwork (?:problem|issue|error), (?:please )?check your (?:internet )?connection\\b',
      `\\bconnection to (?:the )?${MODEL} (?:was )?(?:refused|lost|closed|reset)\\b`,
      '\\b(?:ollama|lm studio)(?: server)? is (?:not|nt) running\\b',
      '\\bmake sure (?:the )?(?:ollama|lm studio)(?: server)? is running\\b',
      `\\bnetwork (?:is )?(?:issue|problem|unavailable)${END}|\\bnetwork response was not ok\\b|\\bappear to be offline\\b`,
      '\\b(?:failed to|error) (?:read|write|reading|writing) (?:the )?(?:connection|socket)\\b',
      '\\btrouble (?:connecting|reaching)\\b',
      `(?:^|message ?: )failed to fetch${END}`,
      `\\b(?:could not|couldnt|cannot|cant|failed to|unable to) (?:reach|contact|connect to) (?:the )?(?:${WORD} )?${MODEL}\\b`,
      '\\b(?:refused|(?:prematurely |unexpectedly )?closed|dropped|reset) the connection\\b',
      '\\bconnection (?:prematurely closed|appears to be offline)\\b|\\bclosed idle connection\\b',
      '\\bcould not resolve (?:host|proxy)\\b|\\bcannot assign requested address\\b|\\bconnect: network is unreachable\\b',
      '\\ball connection attempts failed\\b|\\berror occurred while sending the request\\b',
      '\\blookup address information\\b|\\bssl error syscall\\b|\\bbad record mac\\b',
      '\\bchunkedencodingerror\\b|\\bpremature end of (?:the )?(?:stream|response|body|chunk)',
      '\\bend of file before message length\\b|\\breading a body from connection\\b|\\bpayload is not completed\\b',
      '\\bnot enough data (?:for|to) satisfy\\b',
    ],
  ],
  [
    'rate_limit',
    [
      `\\b(?:sending|making) (?:${WORD} )?(?:messages|requests|calls) too (?:quickly|fast|often)`,
      '\\byoure going too fast\\b|\\bplease wait (?:a moment |a bit |a few seconds )?before (?:sending|trying|making)\\b',
      `\\bplease slow down\\b|${BEGIN}rate exceeded${END}|\\bexceeded your (?:${WORD} )?concurrency limit`,
      '\\bhigh concurrency\\b|\\brate limit or quota exceeded\\b',
      '\\b(?:key|account|user|concurrent|model)s? requests? limit (?:is |was |has been )?(?:exceeded|reached|hit)\\b',
    ],
  ],
  [
    'overloaded',
    [
      '\\b(?:were|are|currently) at capacity\\b|^at capacity\\b|\\bunder maintenance\\b|\\bperforming maintenance\\b',
      '\\bmaintenance in progress\\b|\\b(?:server|model|system|service|engine|gpu|backend|api) (?:is )?overload\\b',
      '\\bover capacity\\b|\\b(?:pool|cluster|server|region) (?:is )?at capacity\\b|\\bno (?:pool )?capacity available\\b',
      '(?<!connection )\\bpool exhausted\\b|\\bmax client connections\\b',
      '\\bno (?:available (?:servers|instances|workers|backends)|(?:servers|instances|workers) available)\\b',
    ],
  ],
  ['provider_unavailable', ['\\bno healthy upstream\\b|\\bstatuscode.unavailable\\b|\\bgrpc error: unavailable\\b']],
  [
    'server_error',
    [
      // The model gives no answer.
      `\\b${MODEL}s?(?: ${WORD}){0,2} (?:did not|didnt|failed to|could not|couldnt|unable to|stopped) (?:${WORD} ` +
        ')?(?:respond|responding|reply|return|produce|provide|generate|complete|finish|answer|send|output)\\b',
      `\\b(?:could not|couldnt|unable to|failed to) respond(?: to (?:the |your )?(?:message|request|prompt))?${END}`,
      `\\bno (?:${WORD} ){0,2}${ANSWER}s?(?: body)? (?:was |were |is )?(?:found |received |returned |generated |` +
        `produced )?(?:from|by|in|within) (?:the |an? )?(?:${WORD} ){0,2}(?:${MODEL}|${RESPONSE})\\b`,
      `\\bno (?:${WORD} )?(?:${RESPONSE}|message|content|choices|candidates|embeddings?|images?|videos?|audio|speech|` +
        `transcripts?)(?: ${WORD})? (?:was |were )?(?:received|returned|generated|produced)\\b`,
      `\\bno (?:completion choices|assistant messages?)\\b|\\bmissing (?:choices\\[|message in chat ?completion)`,
      // The answer cannot be used.
      `\\b${UNUSABLE}(?: ${WORD})? (?:${RESPONSE}|json|content)(?: ${WORD}){0,2} (?:from|by|in)(?: the)?(?: ` +
        `${WORD}){0,2} (?:${MODEL}|${RESPONSE})s?\\b`,
      `\\b${UNUSABLE}(?: api)? (?:${RESPONSE}) (?:was )?(?:received|returned)\\b|\\binvalid api response\\b`,
      `${BEGIN}(?:${WORD} ){1,3}(?:empty|incomplete)(?: json)? response${END}`,
      `\\b(?:${MODEL}s? |${MODEL} ${WORD} )(?:${RESPONSE}|message|content|json)(?: ${WORD})? (?:is|was|has|had|` +
        `contains?|contained|lacks|could not be|cannot be)(?: ${WORD})? (?:${UNUSABLE}|no|not valid|not json|parsed)\\b`,
      `\\b${RESPONSE}(?: from (?:the )?${MODEL})? (?:is|was|contains?|contained) (?:an? )?(?:empty|no choices|not ` +
        'valid json|no candidates)\\b',
      '\\bcontent is empty in response\\b|\\b(?:choices|candidates)(?: array| list)? (?:is|are|was|were) empty\\b',
      '\\bresponse (?:body |payload )(?:is|was) empty\\b|\\bresponse did not (?:contain|include)\\b',
      `${BEGIN}(?:invalid|unexpected|malformed) (?:${WORD} ){0,4}response(?: fields| structure)?(?:${END}|, )`,
      `\\bjson when parsing (?:the )?(?:${MODEL}|${RESPONSE})\\b`,
      `\\breturned (?:an? )?(?:empty|blank|incomplete|invalid|malformed) (?:${WORD} )?(?:${RESPONSE}|json|content|` +
        'audio|images?|videos?)\\b',
      '\\bresponse (?:is )?missing (?:output )?(?:choices|content|message|images?|videos?|audio)\\b',
      '\\bexceeded maximum output retries\\b|\\bmalformed function call\\b|\\bfailed to parse input at pos\\b',
      '\\binvalid json response body at\\b',
      `(?<!this is the error: )\\b${FAILED_TO} pars(?:e|ing) (?:the )?(?:${WORD} )?(?:llm|model|ai|assistant|gemini|` +
        `openai|response)(?: ${WORD})? (?:${RESPONSE}|json)\\b`,
      `\\bpars(?:e|ing) json (?:data )?(?:from|in|response from) (?:the )?(?:${WORD} )?(?:${MODEL}|response|event|` +
        'stream|chunk)\\b',
      '\\berror loading json, json=|\\bbamlvalidationerror:[^]{0,400}',
      // The answer is no JSON, or no stream of events. A parser alone says it of any text.
      `${BEGIN}expecting (?:value|property name enclosed in double|, delimiter|: delimiter)[a-z ]{0,8}: line \\d{1,6} ` +
        `column \\d{1,6}(?: char \\d{1,7})?${END}`,
      `\\b(?:${MODEL}|litellm|completion|response)\\b[^\\n]{0,200}\\b(?:expecting (?:value|property name[a-z ]{0,30}|. ` +
        'delimiter): line|extra data: line|unterminated string|unexpected end of json|eof while parsing|expected value ' +
        'at line|json ?decode ?error)',
      '\\bunexpected token .{1,3},? (?:an (?:error o|intern|unexp)|internal|bad gatewa|upstream|service |gateway t|' +
        'error code|no healthy|server |too many r|rate limit|request t|overload|the server|<html)[^\\n]{0,120}',
      '\\bjson parsing failed: text: |\\binvalid json response\\b|\\bempty ?response ?body',
      '\\b(?:code|status) ?: (?:13|14), (?:message|details) ?:[^\\n]{0,200}\\b(?:message|details) ?:',
      `${BEGIN}(?:no response body|response body is (?:null|empty))|\\binvalid ?response ?data ?error\\b`,
      '\\bresponse (?:is )?not text/event stream|\\bexpected (?:content type:? )?text/event stream',
      '\\binvalid content type for (?:sse|streaming) response: text/html',
      `\\b(?:responded with|answered with|${MODEL}:) (?:50[0234]|52[0-9]|529)\\b|\\bunhandled stop reason: error\\b`,
      `\\brequest (?:has )?failed[.:]? (?:50[0234]|52\\d|529)${END}`,
      '\\bfailed \\d{1,2}/\\d{1,2} times ?:[^]{0,80}, (?:50[0234]|52\\d|529)$',
      '\\bcandidate text empty\\b|\\breturned no candidates?\\b(?!. )',
      '\\b(?:encountered an?|an) unexpected error(?: occurred)? (?:while|when) processing\\b',
      `\\bnot able to process your request${END}|\\bno assistant message found\\b|${BEGIN}already borrowed${END}`,
      `\\b${ANSWER}(?: ${WORD}){0,2} not (?:in|of) (?:the |an? )?(?:expected|required|correct|valid|right|proper) ` +
        '(?:json )?format\\b',
      `\\bunexpected (?:${WORD} )?(?:response|output|answer) (?:format|structure)\\b`,
      '\\bvalidation errors? for \\w{1,60}\\s{1,4}(?:\\w{1,40}\\s{1,4})?invalid json: (?:eof|expected|trailing|invalid|' +
        'key must)[^\\n]{0,120}',
      `\\b${RESPONSE} (?:could not|cannot|couldnt) be (?:generated|parsed|decoded|read|processed|completed|understood)\\b`,
      `\\b(?:${MODEL}|${RESPONSE})\\b[^\\n]{0,40}\\binstead of (?:valid )?json\\b`,
      `\\berror (?:while )?(?:processing|handling|answering) your (?:message|request|question|prompt)${END}`,
      `\\bfailed to produce (?:${WORD} )?structured output`,
      `\\b(?:structured output|output validation)(?: ${WORD})? failed\\b`,
      '\\bexceeded maximum retries \\d{1,3} for (?:output|result) validation\\b',
      '\\b(?:could not|couldnt|failed to|unable to|cannot) (?:be )?(?:find|locate|extract|decode|parsed?|read|' +
        `detect)(?: ${WORD}){0,4} (?:in|from) (?:the )?(?:${WORD} )?(?:${MODEL}|${RESPONSE})s?(?: (?:${RESPONSE}|` +
        `api))?(?:${END}|:)`,
      `\\b(?:no|missing|empty|without) (?:${WORD} )?(?:function calls?|tool calls?|choices|candidates|content|text|` +
        `json(?: object)?|translation)(?: ${WORD})? (?:in|from) (?:the )?(?:${WORD} ){0,2}(?:${MODEL}|${RESPONSE})\\b`,
      `\\b(?:${RESPONSE}|${MODEL}) (?:has|had|have|contains?|contained|does not contain|did not contain) (?:no|any|` +
        `valid)(?: ${WORD})? (?:${ANSWER}|blocks?|parts?)\\b`,
      `\\b(?:${RESPONSE}|${MODEL}) (?:has|had|contains?|contained) no (?:${ANSWER})\\b`,
      '\\b(?:does|did) not contain valid json\\b',
      `\\b${MODEL} (?:generated|produced|returned|made|emitted|sent|hallucinated) (?:an? )?(?:(?:invalid|malformed|` +
        `unknown|nonexistent|empty) )?(?:function|tool|reply)(?: call)?${END}`,
      `\\bempty(?: ${WORD})? (?:completion|translation|message|reply|choices) (?:from|in|result)\\b`,
      `${BEGIN}empty completion${END}|\\bempty ?response ?error\\b|\\bresponse empty ?:|\\bchoices ?: ?\\[\\]`,
      '\\bno (?:translation|transcription) (?:was )?(?:returned|received|generated)\\b',
      // Images, sounds, vectors and translations of a model.
      `${FAILED_TO} (?:generat|creat)(?:e|ing) (?:an? |the )?(?:${WORD} )?(?:image|video|title|name|description|` +
        `suggestions?)${END}`,
      `${BEGIN}(?:text to speech|speech synthesis|rerank(?:ing)?|autocomplete|image generation|title generation)(?: ` +
        `request)? failed(?:${END}|: time ?out)`,
      `${BEGIN}(?:${WORD} )?(?:embedding|transcription|translation|summari[sz]ation|speech synthesis|speech generation|` +
        `image generation|video generation)s?(?: request| call)? failed${END}`,
      '\\b(?:failed to|could not|couldnt|unable to|error) (?:creat|generat|get|comput|fetch)(?:e|ing)? (?:the |an? ' +
        `)?(?:${WORD} )?(?:embeddings?|speech|summary|translation|transcript(?:ion)?)${END}`,
      `\\b(?:issue|problem) with the (?:${WORD} )?(?:${MODEL} (?:api )?(?:request|call|response)|response|reply|completion)\\b`,
      '\\bservice failed to (?:process|complete|answer) the (?:request|prompt)\\b',
      '\\bcould not be reached\\b[^\\n]{0,24}\\bnot responding\\b',
      // A gateway, a queue or a pool.
      '\\b(?:upstreams?|gateway|backend|target|downstream|provider|model|deployment)s? (?:is |are )?(?:unreachable|not ' +
        'reachable|degraded|exploded|down)\\b',
      '\\ball (?:upstreams|targets|backends|target providers) (?:failed|unreachable)',
      '\\b(?:upstream|gateway|backend|relay) (?:answered|returned|responded|failed)(?: with)? 5\\d\\d\\b',
      '\\bcircuit(?: breaker)? (?:is )?(?:open|tripped|engaged)',
      '\\b(?:providers?|models?|accounts?) (?:is |are )?in cool ?down\\b|\\bqueue (?:is )?(?:full|timeout)',
      `\\bno (?:available|active) (?:${WORD} )?accounts\\b|\\bgateway routing failed|\\bbackend unavailable\\b`,
      '\\ball (?:channels failed|providers exhausted)|\\bunable to service your request',
      '\\bno server is currently available|\\bprocess has terminated: (?:signal|exit status 0x)',
      '\\borigin web server returned|\\bcould not establish a tcp connection|\\bis saturated\\b',
      '<title>[^<\\n]{0,80}\\b5[0-3]\\d\\b|\\btaking too long to load|\\bno live replica|\\bstill starting\\b',
      `\\b(?:compute|worker|proxy|relay|network read) error${END}|\\berror occurred with your deployment`,
      '\\bsomething went wrong with the request\\b|\\binternal error we(?:re| are) working',
      '\\b(?:have|has|had) no (?:response|answer|reply) (?:to give|available)\\b',
      `^\\[?no (?:response|answer|reply)\\]?${END}`,
      // The model's own mistakes.
      '\\bai invalidtoolinputerror\\b[^\\n]{0,80}',
      `\\bexpected (?:(?:exactly|at least|an?|one|\\d{1,2}) ){0,2}(?:${WORD} ){0,2}(?:outputs?|responses?|` +
        'completions?)(?: (?:items?|messages?|blocks?))?\\b[^\\n]{0,40}\\b(?:got|received|found)\\b',
      '\\bexpected dict keys\\b|\\bdid not respect the required format\\b',
      '\\bxml syntax error\\b|\\btoken repeat limit reached|\\b(?:invalid|malformed) tool call (?:arguments|json)\\b',
      '\\b(?:parse|parsing) (?:the )?tool call arguments\\b',
      '\\btool call (?:arguments (?:were|was|is|are) (?:not|invalid|malformed)|was (?:malformed|incomplete|truncated|cut off))',
      '\\bended (?:its|the) turn without\\b|\\bwhile expecting start token\\b',
      '\\binvalid response format from (?:the )?(?:ai|model|llm)\\b',
      '\\binvalid (?:model output|json output|output format)\\b|^output parsing failure',
      '\\bcould not extract json (?:string )?from (?:the )?(?:output|response|answer)\\b',
      '\\bcontained no message or tool call\\b',
      `\\boutput (?:doesnt|does not) fit (?:the )?required format\\b|\\bproduced an invalid tool call\\b`,
      '\\bfailed to call a function\\b|\\btool use failed\\b|\\btool call validation failed\\b',
      '\\brepeated tool call failures\\b|\\boutput text or tool calls\\b|\\boutput is incomplete\\b',
      `\\bempty (?:model|llm|ai) response\\b|\\b(?:received|returned) empty (?:${WORD} )?response\\b`,
      // A step fails, for no stated reason.
      `${BEGIN}(?:${WORD} ){0,2}(?:${PROVIDER}|litellm|inference|generation|completion|streaming|response)(?: ` +
        `${WORD}){0,2} (?:error|failed|failure|errored|exception)(?:${END}|: (?:unknown|unspecified|unexpected|internal|` +
        `undefined|null|none)(?: error)?${END})`,
      `\\b(?:errors?|failed|failure|issue|problem|trouble)(?: ${WORD}){0,2} (?:during|while|when|with|in|generate|` +
        `generating|streaming|contacting|talking to|communicating with|from)(?: the)?(?: ${WORD})? (?:generation|` +
        `inference|stream|streaming|text|message|content|completions?|${MODEL}(?: (?:api|service|server|model))?)${END}`,
      '\\b(?:an error|a problem|an issue|went wrong)(?: occurr?ed| happened)? (?:while|when) (?:i was )?(?:processing|' +
        `generating|handling|completing|answering) (?:${WORD} ){0,2}(?:request|response|message|prompt|question|answer|` +
        'reply|completion)\\b',
      '\\bsomething seems to have gone wrong\\b',
      `\\b(?:${MODEL}|service|servers?)(?: ${WORD}){0,2} (?:having|experiencing) (?:${WORD} )?(?:issues|trouble|` +
        'problems|difficulties|outages?)\\b',
      `\\berror occurred on our servers?\\b|\\bunable to process your request${END}|\\bis having trouble\\b`,
      `\\b(?:do request failed|get response failed|(?:read|unmarshal) response body failed|bad response body|openai error)${END}`,
      `\\b(?:all )?(?:retry attempts|retries) (?:have )?(?:failed|exhausted)${END}`,
      `\\ball (?:${WORD} )?(?:models|providers|retries|attempts) failed${END}|^request failed. retrying`,
      `\\b(?:engine|runner|worker|backend|model)(?: ${WORD}){0,2} (?:crashed|died|no longer running|not ready|starting ` +
        'up|warming up)\\b',
      `\\bllama server crashed\\b|${BEGIN}loading model${END}|\\bcold start in progress\\b`,
      `\\bengine protocol startup was aborted\\b|${BEGIN}(?:channel error|chat failed)${END}|\\bserver is starting up`,
      '\\bagent loop died',
      `\\b${FAILED_TO} (?:get|fetch|receiv|read|generat|process|stream|complet|extract|creat|obtain|retriev|pars|` +
        `decod)(?:e|t?ing|ve)? (?:an? |any |the )?(?:${WORD} ){0,2}(?:response|reply|completion|answer)${NOT_A_THING}\\b`,
      `\\b${FAILED_TO} (?:call|invok|query|contact|reach|prompt|communicat|interact|generat)[a-z]{0,4}(?: with| ` +
        `to)?(?: the| an?)?(?: ${WORD})? (?:${MODEL}|content)(?: (?:api|model|service|server|provider))?${END}`,
      `\\b${MODEL}(?: ${WORD}){0,2} (?:request|run|call|generation|completion|invocation|inference|response|turn|query|` +
        `execution) (?:has )?(?:failed|errored|terminated due to error)(?=${END}|: faulted| after \\d| before)`,
      `${BEGIN}(?:the )?(?:llm |ai |chat |api |image |http )?(?:request|turn|generation|completion|inference|chat ` +
        `completion|text generation) failed(?:${END}|, code)`,
      `^(?:${WORD} )?(?:all (?:models|providers|retries|attempts) failed|max(?:imum)? retries (?:reached|exceeded)|` +
        `retry (?:limit exceeded|attempts exhausted)|failed after \\d{1,3} (?:retries|attempts))${END}`,
      `\\b(?:api|server|model|llm|provider) returned an(?: unknown| unspecified)? error${END}`,
      `${BEGIN}(?:unknown )?(?:provider|upstream|llm|api|server|backend|inference)(?: (?:api|service|server|request))? ` +
        `error${END}`,
      `\\bunknown error from (?:the )?${MODEL}\\b`,
      '\\berror (?:has )?occurred while (?:generating|processing|streaming|getting|interacting|communicating) ' +
        `(?:${WORD} ){0,3}(?:response|reply|answer|completion|${MODEL})\\b`,
      // The client's own words for it.
      '\\b(?:on|at) our (?:end|side)\\b',
      `${BEGIN}(?:agent|chat|gateway|backend|agent run|stream processing) (?:error|failure)${END}`,
      `\\b(?:server|backend|gateway|provider|upstream) (?:encountered|returned|had|sent|responded with) an? (?:${WORD} ` +
        `){0,2}(?:error|failure)${END}`,
      `\\b(?:went wrong|error occurred) while trying to (?:${WORD} ){1,6}${ANSWER}?`,
      '\\bmay indicate (?:an? )?(?:failure in|issue with the (?:api|model)|service issue)\\b',
      '\\bsomething went wrong (?:before|while) (?:i|we|generating|processing)\\b|\\breport the following request id\\b',
      '\\b(?:error occurred|went wrong|failed|failed to process the request)[.,!;:]? (?:please )?(?:try again|' +
        `retry)(?: later)?${END}`,
      `\\b(?:something|it) went wrong(?:${END}|. if this issue persists)`,
      '\\bterminated due to error\\b',
      `\\b(?:${MODEL}) returned no (?:candidates|choices|content|response|output|text|message|completions?|answer)\\b`,
      '\\bmodel (?:is |still |currently ){0,2}loading\\b|\\bmodel (?:stopped unexpectedly|has crashed)\\b|engine ?dead',
      '\\bengine ?core encountered an issue\\b|\\bfinish ?reason ?:? error\\b',
      `\\b(?:service|server|${WORD} api|backend|engine) (?:is |are )?(?:currently |temporarily )?(?:not (?:available|` +
        `reachable)|unreachable|down)${END}`,
    ],
  ],
];
