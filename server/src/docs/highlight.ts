// Colours for code: comments, strings, numbers and the words of a language. Enough to read by, in a page that runs no script.

import { escaped } from './markup.ts'

interface Grammar {
  readonly comment: readonly string[]
  readonly string: readonly string[]
  readonly word: string
}

const doubleQuoted = '"(?:\\\\.|[^"\\\\])*"'
const singleQuoted = "'(?:\\\\.|[^'\\\\])*'"
const backQuoted = '`(?:\\\\.|[^`\\\\])*`'
/** A `#` within a word or an address begins no comment. */
const hash = '(?<![\\w$&{#/-])#[^\\n]*'
const slashes = '(?<!:)//[^\\n]*|/\\*[\\s\\S]*?\\*/'

const script: Grammar = {
  comment: [slashes],
  string: [doubleQuoted, singleQuoted, backQuoted],
  word: 'as|async|await|break|case|catch|class|const|continue|default|else|export|extends|false|finally|for|from|function|if|import|in|instanceof|interface|let|new|null|of|readonly|return|switch|this|throw|true|try|type|typeof|undefined|while|yield',
}
const shell: Grammar = {
  comment: [hash],
  string: [doubleQuoted, "'[^']*'"],
  word: 'case|do|done|elif|else|esac|export|fi|for|function|if|in|return|set|then|while',
}
const plainSettings: Grammar = { comment: [hash], string: [doubleQuoted, singleQuoted], word: 'true|false|null|yes|no' }

const grammars: { readonly [language: string]: Grammar } = {
  sh: shell,
  bash: shell,
  ts: script,
  tsx: script,
  js: script,
  json: { comment: [], string: [doubleQuoted], word: 'true|false|null' },
  php: {
    comment: [slashes, hash],
    string: [doubleQuoted, singleQuoted],
    word: 'array|as|bool|break|catch|class|declare|echo|else|elseif|exit|false|fn|for|foreach|function|if|int|namespace|new|null|public|require|return|static|string|throw|true|try|use|while',
  },
  ruby: {
    comment: [hash],
    string: [doubleQuoted, singleQuoted],
    word: 'and|begin|class|def|do|else|elsif|end|ensure|false|if|module|nil|not|or|raise|require|rescue|return|self|then|true|unless|until|while|yield',
  },
  python: {
    comment: [hash],
    string: ['"""[\\s\\S]*?"""', doubleQuoted, singleQuoted],
    word: 'and|as|class|def|elif|else|except|False|finally|for|from|if|import|in|is|lambda|None|not|or|pass|raise|return|True|try|while|with',
  },
  sql: {
    comment: ['--[^\\n]*'],
    string: ["'(?:''|[^'])*'"],
    word: 'alter|and|as|begin|by|commit|create|database|delete|drop|from|grant|group|in|insert|into|is|join|key|limit|not|null|on|or|order|owner|password|primary|references|role|select|set|table|to|update|values|where|with',
  },
  yaml: plainSettings,
  ini: { ...plainSettings, comment: ['(?<=^|\\n)\\s*[#;][^\\n]*'] },
  nginx: { ...plainSettings, word: 'listen|location|map|proxy_[a-z_]+|return|server|server_name|ssl_[a-z_]+|upstream' },
  caddyfile: { ...plainSettings, word: 'handle|header_up|reverse_proxy|tls' },
  dockerfile: { ...plainSettings, word: 'FROM|RUN|COPY|USER|WORKDIR|ENV|EXPOSE|CMD|ENTRYPOINT|HEALTHCHECK|ARG' },
}

/** The languages that have colours. Others are shown as they are. */
export const colouredLanguages: ReadonlySet<string> = new Set(Object.keys(grammars))

const patterns = new Map<string, RegExp>()

/** The code as HTML. */
export function highlighted(code: string, language: string): string {
  const grammar = grammars[language]
  if (grammar === undefined) return escaped(code)
  const pattern = patterns.get(language) ?? patternOf(grammar)
  patterns.set(language, pattern)
  let html = ''
  let at = 0
  for (const found of code.matchAll(pattern)) {
    const [kind] = Object.entries(found.groups ?? {}).find(([, text]) => text !== undefined) ?? ['']
    html += `${escaped(code.slice(at, found.index))}<span class="c-${kind}">${escaped(found[0])}</span>`
    at = found.index + found[0].length
  }
  return html + escaped(code.slice(at))
}

/** What comes first wins, so that a `//` in a string is no comment. */
function patternOf({ comment, string, word }: Grammar): RegExp {
  const kinds = [
    ...(comment.length === 0 ? [] : [`(?<comment>${comment.join('|')})`]),
    `(?<string>${string.join('|')})`,
    `(?<word>(?<![\\w$.-])(?:${word})(?![\\w-]))`,
    '(?<number>(?<![\\w.-])\\d[\\d_.]*(?![\\w.-]))',
  ]
  return new RegExp(kinds.join('|'), 'g')
}
