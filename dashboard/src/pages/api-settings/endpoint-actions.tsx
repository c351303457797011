import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { HookEndpointRecord } from '../../../../server/src/console/contract/records.ts'
import { useMay } from '../../ask/me.tsx'
import { Button, buttonClasses } from '../../parts/button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Menu, MenuButton, MenuLine, menuEntry } from '../../parts/menu.tsx'
import { useWords } from '../../words/language.tsx'
import { EndpointCheck } from './endpoint-check.tsx'
import { DeleteEndpoint, NewSecret, TurnEndpoint } from './endpoint-dialogs.tsx'
import { EndpointForm } from './endpoint-form.tsx'
import { EndpointTest } from './endpoint-test.tsx'
import { words } from './words.ts'

const dialogs = {
  edit: EditEndpoint,
  test: EndpointTest,
  check: EndpointCheck,
  turn: TurnEndpoint,
  delete: DeleteEndpoint,
  secret: NewSecret,
} as const
type Opened = keyof typeof dialogs

export interface EndpointDialogProps {
  readonly endpoint: HookEndpointRecord
  readonly onClose: () => void
}

function EditEndpoint({ endpoint, onClose }: EndpointDialogProps) {
  return <EndpointForm kind={endpoint.kind} endpoint={endpoint} onClose={onClose} />
}

export function EndpointActions({ endpoint }: { readonly endpoint: HookEndpointRecord }) {
  const say = useWords(words)
  const mayChange = useMay('developer')
  const [opened, setOpened] = useState<Opened | null>(null)
  const Opened = opened === null ? null : dialogs[opened]
  return (
    <div className="flex flex-wrap gap-2">
      {mayChange && endpoint.status === 'enabled' && (
        <Button small onClick={() => setOpened('test')}>
          {say.test}
        </Button>
      )}
      {mayChange && endpoint.status === 'paused' && (
        <Button small onClick={() => setOpened('turn')}>
          {say.resume}
        </Button>
      )}
      <Menu label={say.more(endpoint.url)} button={<Icon name="more" />} buttonClassName={buttonClasses('plain', true)}>
        <Link to="/deliveries" search={{ endpoint: endpoint.id } as never} data-entry="" className={menuEntry}>
          {say.deliveries}
        </Link>
        {mayChange && <MoreActions endpoint={endpoint} open={setOpened} />}
      </Menu>
      {Opened !== null && <Opened endpoint={endpoint} onClose={() => setOpened(null)} />}
    </div>
  )
}

function MoreActions({ endpoint, open }: { endpoint: HookEndpointRecord; open: (opened: Opened) => void }) {
  const say = useWords(words)
  return (
    <>
      <MenuButton onClick={() => open('check')}>{say.check}</MenuButton>
      <MenuButton onClick={() => open('edit')}>{say.edit}</MenuButton>
      <MenuButton onClick={() => open('turn')}>{endpoint.status === 'paused' ? say.resume : say.pause}</MenuButton>
      {endpoint.standard_webhooks !== false && <MenuButton onClick={() => open('secret')}>{say.rotate}</MenuButton>}
      <MenuLine />
      <MenuButton danger onClick={() => open('delete')}>
        {say.delete}
      </MenuButton>
    </>
  )
}
