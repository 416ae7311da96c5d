/**
 * General words with which a failing server refuses the request, the key or its own configuration. They are for
 * everything that the rulebook does not know, and they count only alone: beside a word of load, of a connection, of
 * loading or of an answer ("invalid response from upstream"), the failure may pass. A word that is missing here costs a
 * retry, one too many costs the call.
 */

/** Both in normalised form, as the texts of the rulebook, and in an order that compresses well. */
export const REFUSED: RegExp =
  /not(set|a?valid|implemented|allowed|installed|supported|defined|provided)(?!yet)|guardrailsw|please(ensure|install|run)|[.:,](set|open)the|(malformed|incorrect|invalid|missing|unknown)(?!output|json)[a-z\d.$]{0,16}(message|header|key|token|request|field|value|param|file|format|image|id(:|$)|input|model|padding|type|ur[il]|arg|name|voice)(?!err)|nosuchfile|notexist|must(be|not|have|contain|start)|onlysupports|(binary|file|lib)notfound|isdisabled|(is|are|field)required|unexpectedkeyword/;
export const TRANSIENT: RegExp =
  /mainten|state|connect|backend|session|busy|answer|host|generated|respon(d|se(?!format))|running|unknowne|cold|loading|memory|modeloutput|job|channel|unavailable|tempor|again|retry|provider|capacity|character|worker|warm|network|reach|upstream|returned|cuda|stream|account|task|restart/;
