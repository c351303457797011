// Lines that verify a hook, in the languages of docs/hooks.md and as they stand there, with a sample of the merchant's own to
// try them on. The Private Key stands in none of them: each reads it from the environment.

import type { SnippetLanguage, SnippetRecord } from './contract/api-settings.ts'

export interface Sample {
  readonly url: string
  readonly details: string
  readonly signature: string
  readonly partnerId: number
}

/** As in docs/hooks.md, under "Verify it". */
export const verifyingLines: { readonly [language in Exclude<SnippetLanguage, 'curl'>]: string } = {
  node: `import { createHmac, timingSafeEqual } from 'node:crypto'

function isAuthentic(details, signature, privateKey) {
  const expected = Buffer.from(createHmac('sha1', privateKey).update(details).digest('hex'))
  const given = Buffer.from(signature)
  return given.length === expected.length && timingSafeEqual(given, expected)
}
`,
  php: `function is_authentic(string $details, string $signature, string $private_key): bool {
    return hash_equals(hash_hmac('sha1', $details, $private_key), $signature);
}
`,
  python: `import hashlib, hmac

def is_authentic(details, signature, private_key):
    expected = hmac.new(private_key.encode(), details.encode(), hashlib.sha1).hexdigest()
    return hmac.compare_digest(expected.encode(), signature.encode())
`,
  ruby: `require 'openssl'

def authentic?(details, signature, private_key)
  OpenSSL.secure_compare(OpenSSL::HMAC.hexdigest('SHA1', private_key, details), signature)
end
`,
}

const variable = 'TILLBELL_PRIVATE_KEY'

export function snippetsFor(sample: Sample): readonly SnippetRecord[] {
  return [curl(sample), node(sample), php(sample), ruby(sample), python(sample)]
}

/** Posts the sample to the endpoint, as a hook would come. */
function curl({ url, details, signature }: Sample): SnippetRecord {
  const code = `curl --include ${inShell(url)} \\
  --data-urlencode ${inShell(`details=${details}`)} \\
  --data-urlencode ${inShell(`signature=${signature}`)}
`
  return { language: 'curl', code, reads_key: null }
}

function node(sample: Sample): SnippetRecord {
  const reads = `process.env.${variable}`
  const code = `${verifyingLines.node}
// ${about(sample)}
const details = ${quoted(sample.details)}
const signature = ${quoted(sample.signature)}
const privateKey = ${reads}
const isOurs = isAuthentic(details, signature, privateKey) && JSON.parse(details).partner_id === ${sample.partnerId}
console.log(isOurs ? 'authentic' : 'not authentic: answer 403')
`
  return { language: 'node', code, reads_key: reads }
}

function php(sample: Sample): SnippetRecord {
  const reads = `getenv('${variable}')`
  const code = `<?php
${verifyingLines.php}
// ${about(sample)} A request has them in $_POST['details'] and $_POST['signature'].
$details = ${quoted(sample.details)};
$signature = ${quoted(sample.signature)};
$private_key = ${reads};
$ours = is_authentic($details, $signature, $private_key) && json_decode($details)->partner_id === ${sample.partnerId};
echo $ours ? 'authentic' : 'not authentic: answer 403', "\\n";
`
  return { language: 'php', code, reads_key: reads }
}

function ruby(sample: Sample): SnippetRecord {
  const reads = `ENV.fetch('${variable}')`
  const code = `require 'json'
${verifyingLines.ruby}
# ${about(sample)}
details = ${quoted(sample.details)}
signature = ${quoted(sample.signature)}
private_key = ${reads}
ours = authentic?(details, signature, private_key) && JSON.parse(details)['partner_id'] == ${sample.partnerId}
puts ours ? 'authentic' : 'not authentic: answer 403'
`
  return { language: 'ruby', code, reads_key: reads }
}

function python(sample: Sample): SnippetRecord {
  const reads = `os.environ['${variable}']`
  const code = `import json, os
${verifyingLines.python}
# ${about(sample)}
details = ${quoted(sample.details)}
signature = ${quoted(sample.signature)}
private_key = ${reads}
ours = is_authentic(details, signature, private_key) and json.loads(details)['partner_id'] == ${sample.partnerId}
print('authentic' if ours else 'not authentic: answer 403')
`
  return { language: 'python', code, reads_key: reads }
}

function about({ url }: Sample): string {
  return `A test, as it is posted to ${url}: take these two from the form that comes.`
}

/** A text between single quotes is written alike in all four languages; a sample has no line breaks. */
function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}

function inShell(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
