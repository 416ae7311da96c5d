/** The words that refuse a request, and those of failures that pass, in the form of `wordsOf`. They are data. */

import type { TypedRows } from '../family.ts';

const WORD = '[a-z0-9]{1,24}';

/** */
export const REFUSALS: readonly string[] = [
  // Chinese: what is wrong or used up, and advice to change it.
  '有误|无效|余额|额度|欠费|过期|权限|请(?:切换|更换|配置)|请检查(?!您?的?网络|[:：])',
  // Ordinary English: what is not there, or not offered.
  '\\b(?:does|do|is|are|was) not (?:yet )?(?:support(?:ed)?|found|exist|enabled|valid(?! json))\\b|\\bdoesnt (?:support|exist)\\b|\\bunsupported\\b',
  '\\bnot (?:be )?(?:permitted|recogni[sz]ed|allowed|accepted|implemented|installed|authori[sz]ed|configured|specified|' +
    'a valid|in the list)\\b',
  '\\b(?:must|should) (?:not )?(?:be|have|not|contain|include|match|provide|specify|start|end|use|set|follow|alternate|' +
    'come|conform|support|pass)\\b',
  `\\bis not registered\\b|\\bno (?:${WORD} )?route (?:for|found)\\b|\\bmaximum [a-z ]{0,24}(?:size|length|tokens)\\b\\b`,
  '\\bno (?:conversation|session|thread)s? found\\b|\\b(?:conversation|session|thread)s? (?:was )?not found\\b',
];
/** What passes although the status refuses. */
export const PASSING_SENTENCES: readonly TypedRows[] = [
  ['rate_limit', ['\\btoo many requests\\b|\\brate limit(?:ed| exceeded| reached)|耐心等待']],
  ['timeout', ['\\b(?:invocation|request|connection|operation|upstream|read|model|gateway) (?:has )?timed out\\b']],
  [
    'connection_error',
    [
      '\\bconnection (?:was |is |has been |error: )?(?:closed|reset|refused|aborted|lost|terminated)\\b',
      '\\b(?:server )?connection error\\b|\\bactively refused\\b|\\bnetwork error\\b|\\bparse error: expected http\\b',
    ],
  ],
  [
    'server_error',
    [
      '\\bdid not respect the required format\\b|\\bfailed to call a function\\b|\\btool use failed\\b',
      '\\bexpecting [,:] delimiter: line \\d',
    ],
  ],
];

/** Of the answer, which another attempt changes, and of networks. */
export const OF_ANSWERS: readonly string[] = ['\\bvalidation errors? for (?:chat ?completion|[a-z]{0,20}response)\\b'];

/** What clients, SDKs and gateways put before the reason of another program. */
export const HEADS: readonly string[] = [
  // Of an SDK, which may have one of the others in it.
  '\\blitellm\\.[a-z]{3,40}error|\\b(?:openai\\.)?(?:error\\.)?api(?:connection|call)?error',
  // Of a server or of a gateway.
  '\\binternal(?: server)? error|\\binternalservererror|\\berror from provider|\\bprovider returned error|\\bbad gateway',
  '\\b(?:an |unexpected )?error (?:has )?occurred(?: while processing (?:your|the) request)?',
  '\\b(?:api error:? ?)?5\\d\\d(?: (?:bad gateway|internal server error|service unavailable|server error))?',
  // Of a client, which names its step: `LLM request failed: …`.
];
