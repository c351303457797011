import { useMe } from '../ask/me.tsx'
import { PersonMenu } from './person-menu.tsx'
import { PhoneMenu } from './phone-menu.tsx'
import { Search, searchId } from './search.tsx'

export function TopBar() {
  const { merchant } = useMe()
  return (
    <header className="flex h-14 items-center gap-2 border-b border-line bg-surface px-2 sm:gap-4 sm:px-6 lg:px-8">
      <PhoneMenu />
      <p className="mr-auto min-w-0 truncate font-medium">{merchant.name}</p>
      <div className="hidden sm:block">
        <Search id={searchId} />
      </div>
      <PersonMenu />
    </header>
  )
}
