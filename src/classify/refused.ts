/**
 * General words with which a failing server refuses the request, the key or its own configuration. They are for
 * everything that the rulebook does not know, and they count only alone: beside a word of load, of a connection, of
 * loading or of an answer ("invalid response from upstream"), the failure may pass. A word that is missing here costs a
 * retry, one too many costs the call.
 */

/** Both in normalised form, as the texts of the rulebook, and in an order that compresses well. */
export const REFUSED: RegExp =
  /not(set|a?valid|implemented|allowed|installed|supported|defined|provided)(?!yet)|guardrailsw|unexpectedkeyword|(?<!output)cannotbe(empty|null)|(malformed|incorrect|invalid|missing|unknown)(?!output|json)[a-z\d.$]{0,16}(message|arg|ur[il]|option|path|voice|type|padding|header|key|token|request|field|schema|file|format|image|param|value|role|base64|id(:|$)|input|model|prompt|name)(?!err)|[.:,](set|open)the|notexist|please(ensure|install|run)|onlysupports|(binary|command|file|lib)notfound|isdisabled|(is|are|field)required|must(include|be|not|have|contain|start)/;
export const TRANSIENT: RegExp =
  /mainten|state|character|worker|respon(d|se(?!format))|busy|unavailable|loading|host|modeloutput|generated|connect|session|running|unknowne|cold|capacity|again|retry|memory|tempor|warm|upstream|returned|cuda|reach|network|stream|answer|restart/;
