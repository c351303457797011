import { Link, useParams } from '@tanstack/react-router'
import type { LetterRecord } from '../../../../server/src/console/contract/records.ts'
import { useAsked } from '../../ask/use-asked.ts'
import { Badge } from '../../parts/badge.tsx'
import { Card } from '../../parts/card.tsx'
import { Fact, Facts } from '../../parts/facts.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { ServiceSays } from '../../parts/service-says.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { When } from '../../parts/when.tsx'
import { useWords } from '../../words/language.tsx'
import { Outcome, Proof } from './letter-parts.tsx'
import { words } from './words.ts'

type Verdict = NonNullable<LetterRecord['verdict']>

export function LetterPage() {
  const say = useWords(words)
  const { id = '' } = useParams({ strict: false })
  const shown = useAsked<{ readonly letter: LetterRecord }>(`rest/letters/${id}`)
  const letter = shown.state === 'there' ? shown.body.letter : null
  return (
    <>
      <PageHead
        title={letter?.from ?? say.one}
        back={{ to: '/letters', label: say.title }}
        beside={letter !== null && <Proof isProven={letter.proven} />}
      />
      <Loaded shown={shown}>
        {({ letter }) => (
          <div className="space-y-6">
            <About letter={letter} />
            {letter.verdict === null ? (
              <Card title={say.verdict}>{say.noVerdict}</Card>
            ) : (
              <>
                <Rules title={say.verdict} lead={say.verdictLead} rules={letter.verdict.rules} />
                {letter.verdict.consent !== null && (
                  <Rules title={say.consent} lead={say.consentLead} rules={letter.verdict.consent.rules} />
                )}
                <Signatures verdict={letter.verdict} />
              </>
            )}
            <Answers mails={letter.mails} />
          </div>
        )}
      </Loaded>
    </>
  )
}

function About({ letter }: { readonly letter: LetterRecord }) {
  const say = useWords(words)
  return (
    <Card>
      <Facts>
        <Fact name={say.from}>{letter.from ?? say.erased}</Fact>
        <Fact name={say.received}>
          <When at={letter.received_at} whole />
        </Fact>
        <Fact name={say.outcome}>
          <Outcome letter={letter} />
        </Fact>
        {letter.closed_because !== null && (
          <Fact name={say.closed}>
            <ServiceSays sentence={letter.closed_because} />
          </Fact>
        )}
        <Fact name={say.offer}>
          <Link to="/offers/$id" params={{ id: letter.offer }} className="text-accent hover:underline">
            {letter.offer}
          </Link>
        </Fact>
      </Facts>
    </Card>
  )
}

type Rule = Verdict['rules'][number]

interface RulesProps {
  readonly title: string
  readonly lead: string
  readonly rules: readonly Rule[]
}

function Rules({ title, lead, rules }: RulesProps) {
  const say = useWords(words)
  const columns: readonly Column<Rule>[] = [
    { name: say.rule, cell: ({ rule }) => <span className="whitespace-normal">{say.rules[rule] ?? rule}</span> },
    {
      name: say.result,
      cell: ({ holds }) => <Badge tone={holds ? 'good' : 'bad'}>{holds ? say.holds : say.fails}</Badge>,
    },
    {
      name: say.says,
      cell: ({ why }) => <span className="whitespace-normal">{why !== null && <ServiceSays sentence={why} />}</span>,
    },
  ]
  return (
    <Card title={title} lead={lead} flush>
      <Table caption={title} columns={columns} rows={rules} keyOf={({ rule }) => rule} />
    </Card>
  )
}

type Signature = Verdict['signatures'][number]

function Signatures({ verdict }: { readonly verdict: Verdict }) {
  const say = useWords(words)
  const columns: readonly Column<Signature>[] = [
    { name: say.domain, cell: ({ domain }) => domain },
    { name: say.selector, cell: ({ selector }) => selector },
    {
      name: say.result,
      cell: ({ result, comment }) => (comment === null ? result : `${result} (${comment})`),
      grows: true,
    },
    { name: say.aligned, cell: ({ aligned }) => (aligned ? say.yes : say.no) },
  ]
  return (
    <Card title={say.signatures} flush={verdict.signatures.length > 0}>
      {verdict.signatures.length === 0 ? (
        <p className="text-soft">{say.noSignatures}</p>
      ) : (
        <Table
          caption={say.signatures}
          columns={columns}
          rows={verdict.signatures}
          keyOf={({ domain, selector }) => `${selector} ${domain}`}
        />
      )}
      <div className={verdict.signatures.length > 0 ? 'px-5 py-3' : 'mt-2'}>
        <Facts>
          <Fact name="SPF">{String(verdict.spf)}</Fact>
          <Fact name="DMARC">{String(verdict.dmarc)}</Fact>
        </Facts>
      </div>
    </Card>
  )
}

type Mail = LetterRecord['mails'][number]

function Answers({ mails }: { readonly mails: LetterRecord['mails'] }) {
  const say = useWords(words)
  const tones = { waiting: 'waits', sent: 'good', dropped: 'bad', skipped: 'plain' } as const
  const columns: readonly Column<Mail>[] = [
    { name: say.kind, cell: ({ kind }) => say.kinds[kind] },
    { name: say.state, cell: ({ state }) => <Badge tone={tones[state]}>{say.states[state]}</Badge> },
    { name: say.says, cell: ({ cause }) => cause !== null && <ServiceSays sentence={cause} />, grows: true },
    { name: say.attempts, cell: ({ attempts }) => attempts, end: true },
    { name: say.received, cell: ({ created_at }) => <When at={created_at} /> },
  ]
  return (
    <Card title={say.answers} flush={mails.length > 0}>
      {mails.length === 0 ? (
        <p className="text-soft">{say.noAnswers}</p>
      ) : (
        <Table caption={say.answers} columns={columns} rows={mails} keyOf={mail => `${mail.kind} ${mail.created_at}`} />
      )}
    </Card>
  )
}
