import { Card } from '../../parts/card.tsx'
import { CodeLine } from '../../parts/code-block.tsx'
import { Table } from '../../parts/table.tsx'
import { useWords } from '../../words/language.tsx'
import { testCards } from './cards.ts'
import { words } from './words.ts'

export function TestCards() {
  const say = useWords(words)
  return (
    <Card title={say.cards} lead={say.cardsLead} flush>
      <Table
        caption={say.cards}
        rows={testCards}
        keyOf={({ number }) => number}
        columns={[
          { name: say.number, cell: ({ number }) => <CodeLine what={number} text={number} /> },
          { name: say.brand, wideOnly: true, cell: ({ brand }) => say.brands[brand as keyof typeof say.brands] },
          {
            name: say.charge,
            grows: true,
            cell: ({ does, code }) => (
              <>
                {say.does[does]}
                {code !== undefined && <code className="ml-1 font-mono text-[0.8125rem] text-soft">{code}</code>}
              </>
            ),
          },
        ]}
      />
    </Card>
  )
}
