import { useState } from 'react'
import type {
  PrivateKeyRecord,
  SampleRecord,
  SnippetLanguage,
  SnippetRecord,
} from '../../../../server/src/console/contract/api-settings.ts'
import type { HookEndpointRecord, HookKind } from '../../../../server/src/console/contract/records.ts'
import { useMay } from '../../ask/me.tsx'
import { useAsked } from '../../ask/use-asked.ts'
import { Button } from '../../parts/button.tsx'
import { CodeBlock } from '../../parts/code-block.tsx'
import { Notice } from '../../parts/failure.tsx'
import { FilterSelect } from '../../parts/filters.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { useFilters } from '../../parts/url.ts'
import { useWords } from '../../words/language.tsx'
import { states } from '../../words/states.ts'
import { shortUrl, shownKinds } from '../deliveries/delivery-filters.tsx'
import { ShowPrivateKey } from './private-key-dialogs.tsx'
import { SettingsPage } from './settings-page.tsx'
import { words } from './words.ts'

const languageNames: { readonly [language in SnippetLanguage]: string } = {
  curl: 'curl',
  node: 'Node',
  php: 'PHP',
  ruby: 'Ruby',
  python: 'Python',
}

export function SnippetsPage() {
  const say = useWords(words)
  const [{ kind: asked, endpoint, language }] = useFilters(['kind', 'endpoint', 'language'])
  const kind = shownKinds.find(each => each === asked) ?? 'transaction'
  const endpoints = useAsked<HookEndpointRecord[]>('rest/hook_endpoints', { query: { limit: 100 } })
  const ofKind = endpoints.state === 'there' ? endpoints.body.filter(each => each.kind === kind) : []
  const chosen = ofKind.some(({ id }) => id === endpoint) ? endpoint : ''
  const shown = useAsked<{ sample: SampleRecord }>('snippets', { query: { kind, endpoint: chosen } })
  return (
    <SettingsPage lead={say.snippetsLead}>
      <Choosing endpoints={ofKind} />
      <Loaded shown={shown}>
        {({ sample }) => <Sample sample={sample} language={language === '' ? 'node' : language} />}
      </Loaded>
    </SettingsPage>
  )
}

function Choosing({ endpoints }: { readonly endpoints: readonly HookEndpointRecord[] }) {
  const say = useWords(words)
  const { hook } = useWords(states)
  const kinds = [...new Set<HookKind>(['transaction', ...shownKinds])]
  return (
    <div className="mb-4 flex flex-wrap items-end gap-3">
      <FilterSelect
        name="language"
        label={say.language}
        options={(['node', 'curl', 'php', 'ruby', 'python'] as const).map((value, index) => ({
          value: index === 0 ? '' : value,
          label: languageNames[value],
        }))}
      />
      <FilterSelect
        name="kind"
        label={say.sampleKind}
        options={kinds.map((value, index) => ({ value: index === 0 ? '' : value, label: hook[value] }))}
      />
      {endpoints.length > 1 && (
        <FilterSelect
          name="endpoint"
          label={say.sampleEndpoint}
          options={endpoints.map(({ id, url }, index) => ({ value: index === 0 ? '' : id, label: shortUrl(url) }))}
        />
      )}
    </div>
  )
}

function Sample({ sample, language }: { readonly sample: SampleRecord; readonly language: string }) {
  const say = useWords(words)
  const [privateKey, setPrivateKey] = useState<string | null>(null)
  const snippet = sample.snippets.find(each => each.language === language) ?? sample.snippets[0]
  if (snippet === undefined) return null
  return (
    <div className="space-y-4">
      <p className="max-w-prose break-words">
        {snippet.reads_key === null ? say.postsTo(sample.url) : privateKey === null && say.readsKey}
      </p>
      {snippet.reads_key !== null && privateKey !== null && <Notice kind="waits">{say.withKey}</Notice>}
      <CodeBlock label={languageNames[snippet.language]} text={filledIn(snippet, privateKey)} />
      {snippet.reads_key !== null && <PutKey privateKey={privateKey} onKey={setPrivateKey} />}
      <details>
        <summary className="font-medium">{say.sample}</summary>
        <div className="mt-3 space-y-4">
          <CodeBlock label={say.sample} text={sample.details} wrap />
          <CodeBlock label={say.sampleSignature} text={sample.signature} wrap />
        </div>
      </details>
    </div>
  )
}

/** A key is Base64: between single quotes it is written alike in every language. */
function filledIn({ code, reads_key }: SnippetRecord, privateKey: string | null): string {
  return reads_key === null || privateKey === null ? code : code.replace(reads_key, () => `'${privateKey}'`)
}

interface PutKeyProps {
  readonly privateKey: string | null
  readonly onKey: (privateKey: string | null) => void
}

function PutKey({ privateKey, onKey }: PutKeyProps) {
  const say = useWords(words)
  const isOwner = useMay('owner')
  const [isAsking, setAsking] = useState(false)
  const keys = useAsked<PrivateKeyRecord[]>('private_keys', { isOff: !isOwner })
  const current = keys.state === 'there' ? keys.body.find(({ state }) => state === 'current') : undefined
  if (!isOwner || current === undefined) return null
  return (
    <>
      <Button onClick={() => (privateKey === null ? setAsking(true) : onKey(null))}>
        {privateKey === null ? say.putKey : say.takeKey}
      </Button>
      {isAsking && (
        <ShowPrivateKey id={current.id} onShown={shown => onKey(shown.private_key)} onClose={() => setAsking(false)} />
      )}
    </>
  )
}
