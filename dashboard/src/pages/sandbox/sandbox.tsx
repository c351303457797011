import type { Sandbox } from '../../../../server/src/console/contract/sandbox.ts'
import { useMe } from '../../ask/me.tsx'
import { useAsked } from '../../ask/use-asked.ts'
import { ButtonLink } from '../../parts/button.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { useWords } from '../../words/language.tsx'
import { Clock } from './clock.tsx'
import { ReceivedHooks, WrittenMails } from './received.tsx'
import { TestCards } from './test-cards.tsx'
import { words } from './words.ts'

const everyMs = 5_000

export function SandboxPage() {
  const say = useWords(words)
  const { mode, is_demo } = useMe()
  const isHere = mode === 'sandbox' && is_demo
  const shown = useAsked<{ sandbox: Sandbox }>('sandbox', { everyMs, isOff: !isHere })
  return (
    <>
      <PageHead title={say.title} {...(mode === 'sandbox' && { lead: say.lead })} />
      <div className="space-y-6">
        {isHere ? (
          <Loaded shown={shown}>
            {({ sandbox }) => (
              <>
                <Clock sandbox={sandbox} />
                <ReceivedHooks sandbox={sandbox} />
                <WrittenMails sandbox={sandbox} />
              </>
            )}
          </Loaded>
        ) : (
          <NotHere isLive={mode === 'live'} />
        )}
        {mode === 'sandbox' && <TestCards />}
      </div>
    </>
  )
}

function NotHere({ isLive }: { readonly isLive: boolean }) {
  const say = useWords(words)
  return (
    <Empty
      icon="sandbox"
      title={isLive ? say.live : say.notHere}
      action={<ButtonLink to="/deliveries">{say.seeDeliveries}</ButtonLink>}
    >
      {isLive ? say.liveSays : say.notHereSays}
    </Empty>
  )
}
