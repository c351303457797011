import type { GatewayRecord } from '../../../../server/src/console/contract/records.ts'
import { useAsked } from '../../ask/use-asked.ts'
import { useWords } from '../../words/language.tsx'
import { gatewayTypes } from '../gateways/types.ts'
import { words } from '../gateways/words.ts'

/** What kind it is, as people know it; its id tells two of a kind apart. */
export function GatewayName({ id }: { readonly id: string }) {
  const { types } = useWords(words)
  const shown = useAsked<GatewayRecord[]>('rest/gateways', { query: { limit: 100 } })
  const record = shown.state === 'there' ? shown.body.find(gateway => gateway.id === id) : undefined
  const type = gatewayTypes.find(each => each === record?.type)
  if (type === undefined) return id
  return (
    <>
      {types[type]} <span className="text-soft">({id})</span>
    </>
  )
}
