// What people do wrong with a hook's signature: what is found, and how it is mended, a sentence each.

interface Sentences {
  readonly found: string
  readonly mend: string
}

const signWhatCame = 'Sign the text of details as it came, before any JSON parsing.'
const rewritten = (how: string): Sentences => ({
  found: `The details were parsed and written again, ${how}.`,
  mend: signWhatCame,
})

/** By where they are found. */
export const causesByPlace = {
  body: {
    body_multipart: {
      found: 'The body is multipart/form-data.',
      mend: 'Hooks come as application/x-www-form-urlencoded: something on the way wrote it anew; keep the body as it came.',
    },
    body_json: {
      found: 'The body is JSON: a framework parsed the form, and it was written again.',
      mend: 'Keep the raw body, before the framework parses it.',
    },
    body_decoded: {
      found: 'The body was URL-decoded as a whole.',
      mend: 'Split it at & and = first, and decode each value then: a form parser does both.',
    },
  },
  details: {
    bom: {
      found: 'There is a byte order mark at the beginning.',
      mend: 'Use the text as it came in the request, not as an editor saved it.',
    },
    details_white_space: {
      found: 'The details have white space around them, such as a line break at the end.',
      mend: 'Sign the value as it came; write it to a file with printf %s rather than echo.',
    },
    url_encoded: {
      found: 'The details are still URL-encoded.',
      mend: 'Decode the form first, and sign the decoded value.',
    },
    plus_for_blanks: {
      found: 'Blanks in the details are still "+".',
      mend: 'Use a form decoder, which knows "+", rather than one of percent signs alone.',
    },
    decoded_twice: {
      found: 'The details were URL-decoded twice: what was "+" is a blank.',
      mend: 'Decode once: what your framework hands you is decoded already.',
    },
    whole_body: {
      found: 'The whole body was taken for the details.',
      mend: 'Sign the value of the parameter details alone.',
    },
    json_string: {
      found: 'The details were encoded as JSON once more, and are a string now.',
      mend: 'Sign the text that the string holds.',
    },
    details_quoted: {
      found: 'There are quotation marks around the details.',
      mend: 'Take them off: they are of a shell or a file, and were not signed.',
    },
    slashes_added: {
      found: 'Quotation marks in the details have backslashes before them, as WordPress adds to all that is posted.',
      mend: 'Take them off before you sign (wp_unslash), or read php://input.',
    },
    html_escaped: {
      found: 'The details were escaped for HTML (&quot;).',
      mend: 'Sign the parameter before any filter changes it.',
    },
    latin1: { found: 'The details are UTF-8 that was read as Latin-1.', mend: 'Read the body as UTF-8.' },
    json_spacing: rewritten('with other spacing'),
    json_slashes: rewritten("with slashes escaped (\\/), as PHP's json_encode does"),
    json_unicode: rewritten("with letters escaped (\\u00e9), as Python's json.dumps does"),
    json_empty_objects: rewritten("with empty objects become lists ([]), as PHP's json_decode to arrays does"),
    json_key_order: rewritten('with their keys in another order'),
    json_otherwise: rewritten('and are not the same text any more'),
  },
  key: {
    key_white_space: {
      found: 'The key has white space around it.',
      mend: 'Trim it where you read it: files and environment variables often end in a line break.',
    },
    key_quoted: {
      found: 'There are quotation marks around the key.',
      mend: 'Take them off: they are of the file that it was in.',
    },
    key_url_encoded: { found: 'The key is URL-encoded.', mend: 'Use it as the dashboard shows it, with + / and =.' },
    key_blank: { found: 'A "+" of the key has become a blank.', mend: 'Use the key as the dashboard shows it.' },
    key_base64url: {
      found: 'The key is written with - and _ (base64url).',
      mend: 'Use the text of the Private Key as the dashboard shows it, with + and /.',
    },
    key_padding: { found: 'The key has lost the = at its end.', mend: 'Use all of it, as the dashboard shows it.' },
    key_decoded: {
      found: 'The key was decoded from base64.',
      mend: 'The key is the text of the Private Key, not the bytes that it encodes: do not decode it.',
    },
    signed_with_bytes: {
      found: 'It was signed with the bytes that the key encodes.',
      mend: 'The key is the text of the Private Key: do not decode it from base64.',
    },
  },
  signature: {
    signature_white_space: {
      found: 'The signature has white space around it.',
      mend: 'Trim it; a file that you made of it must not end in a line break.',
    },
    signature_quoted: { found: 'There are quotation marks around the signature.', mend: 'Take them off.' },
    signature_upper_case: {
      found: 'The signature is in upper case.',
      mend: 'Write your digest in lower-case hexadecimal digits before you compare.',
    },
    signature_prefix: {
      found: 'The signature has a prefix, such as sha1=.',
      mend: 'Compare the 40 hexadecimal digits alone: hooks come without a prefix.',
    },
    signature_base64: {
      found: 'The signature is in base64.',
      mend: 'Write the digest in hexadecimal digits: hex, not base64.',
    },
    signature_cut: { found: 'The signature was cut short.', mend: 'It has 40 hexadecimal digits: keep them all.' },
    sha256: { found: 'It was signed with HMAC-SHA256.', mend: 'Hooks are signed with HMAC-SHA1: use sha1.' },
    signed_encoded: {
      found: 'It was signed over the URL-encoded details.',
      mend: 'Sign the decoded value, and encode it for the request only.',
    },
    signed_parameter: {
      found: 'It was signed over "details=" and the details: over the body.',
      mend: 'Sign the value of the parameter details alone.',
    },
  },
  order: {
    swapped: {
      found: 'What was given as details, signature and key changed places.',
      mend: 'Give --details the JSON, --signature the 40 hexadecimal digits, --key the Private Key.',
    },
  },
  // It cannot be mended here: the right one is elsewhere.
  looks: {
    api_secret: {
      found: 'The key is an API secret (sk_…).',
      mend: 'Hooks are signed with the Private Key: it is on the API settings page of the dashboard.',
    },
    api_key: {
      found: 'The key is an API key (pk_…).',
      mend: 'Hooks are signed with the Private Key: it is on the API settings page of the dashboard.',
    },
    standard_webhooks_secret: {
      found: 'The key is a secret of Standard Webhooks (whsec_…).',
      mend: 'It signs the header webhook-signature; the parameter signature is made with the Private Key.',
    },
    object_as_text: {
      found: 'The details are "[object Object]": they were parsed, and an object was taken for text.',
      mend: signWhatCame,
    },
    details_not_json: {
      found: 'The details are not a JSON object: they were cut short, or are something else.',
      mend: 'Take the whole value of the parameter details; a shell may cut at & or quotation marks, so give a file.',
    },
    signature_shape: {
      found: 'The signature is not 40 hexadecimal digits.',
      mend: 'Take the value of the parameter signature, all of it.',
    },
    nothing_found: {
      found: 'It is signed with another Private Key, or the details are not those that were signed.',
      mend: 'Try every key of the merchant (--key may be given several times): one that was made current later, or before, signs differently.',
    },
  },
} as const satisfies { readonly [place: string]: { readonly [code: string]: Sentences } }

export const causes = {
  ...causesByPlace.body,
  ...causesByPlace.details,
  ...causesByPlace.key,
  ...causesByPlace.signature,
  ...causesByPlace.order,
  ...causesByPlace.looks,
}

export type CauseCode = keyof typeof causes
